"""Questions for more than one thing, and whether an answer has as many.

"Name the three beers"          three, with commas and "and" between them
"Between which dates is it open?"   two ends of a range: "1 May to 10 August"
"At what times does it leave?"      more than one time
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from factmill.models.answering.words.dates_and_numbers import DATE, number_of
from factmill.models.text.span import Span

TIME = re.compile(
    r"(?<![\w.:£$€])(?:[01]?\d|2[0-4])(?:[:.][0-5]\d)?\s?(?:[ap]\.?m\b\.?)|"
    r"(?<![\w.:£$€])(?:[01]?\d|2[0-4])[:][0-5]\d\b|\b(?:noon|midnight)\b",
    re.IGNORECASE,
)
_TO = re.compile(r"\s?(?:to|until|till|and|[–-])\s?")
_FOR_RANGE = re.compile(
    r"between (?:which|what)\b|from (?:when|what \w+) (?:to|until|till) (?:when|what)",
    re.IGNORECASE,
)
_FOR_SO_MANY = re.compile(
    r"(?:which|what|who|name|list)(?: (?:are|were|all))?(?: the)?"
    r" (two|three|four|five|six|seven|eight|nine|ten)"
    r" (?:[\w-]+ ){0,2}?(?!(?:does|was|has|is)\b)(?:[\w-]+[^\Ws]s|people|men|women|children)\b",
    re.IGNORECASE,
)
_FOR_TIMES = re.compile(
    r"(?:at|on|in) (?:what|which) (?:times|dates|days|years|months)\b", re.IGNORECASE
)
_BETWEEN_ITEMS = re.compile(r",\s*(?:(?:and|&)\s+)?|\s+(?:and|&)\s+|;\s*")
# What stands between two ends, and what names several times by itself: "on Sundays", "daily".
_ENDS = re.compile(r"\b(?:to|until|till|and)\b|\d\s?[–-]\s?\d", re.IGNORECASE)
_REGULAR = re.compile(
    r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun|week|work)days|weekends|daily|every|each)\b",
    re.IGNORECASE,
)


def asks_for_range(question: str) -> bool:
    """Whether a question asks for two ends."""
    return _FOR_RANGE.match(question) is not None


def ranges(text: str, start: int, end: int) -> Iterator[Span]:
    """Two dates or times with "to" and its like between them: "10 a.m. to 4 p.m."."""
    values = sorted(
        match.span() for one in (DATE, TIME) for match in one.finditer(text, start, end)
    )
    for (first, behind), (before, last) in zip(values, values[1:], strict=False):
        if behind <= before and _TO.fullmatch(text, behind, before):
            yield first, last


def has_just_as_many(question: str, answer: str) -> bool:
    """Whether a question asks for a number of things, and an answer has them and nothing else."""
    many = _number_asked_for(question)
    return many is not None and len(_BETWEEN_ITEMS.split(answer)) == many


def _number_asked_for(question: str) -> float | None:
    many = _FOR_SO_MANY.match(question)
    return number_of(many[1]) if many else None


def _told(answer: str) -> int:
    """How many things an answer has. Of "Rope End, a bitter, and Lantern Ale" one is described."""
    items = _BETWEEN_ITEMS.split(answer)
    if any(one[:1].isupper() for one in items):
        items = [one for one in items if not one.startswith(("a ", "an "))]
    return len(items)


def says_as_many(question: str, answer: str) -> bool:
    """Whether an answer has as many things as a question asks for; true where it asks for no
    number."""
    told = _told(answer)
    if (many := _number_asked_for(question)) is not None:
        return told == many
    if asks_for_range(question):
        return _ENDS.search(answer) is not None
    if _FOR_TIMES.match(question):
        return told > 1 or bool(_ENDS.search(answer) or _REGULAR.search(answer))
    return True

"""Ranges of numbers, of which one end alone is a wrong answer: "15 or 20kg", "$45 to $65".

    "How much does a bar weigh?"   "bars of 15 or 20kg"   15 -> "15 or 20kg"

A question for an end ("the least", "the oldest") keeps it. Years, scores, and changes ("rose from
10 to 20") are no such ranges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factmill.models.answering.sentences.spans import typed_spans
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.dates_and_numbers import number_of
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.text.span import Span

# What stands between two ends; "and" only behind "between".
_JOINS = re.compile(
    r"(?P<short>[kKM]?)(?:\s?[-–—]\s?|(?<!\s)\s+(?:(?P<word>to|up to|through|or)|(?P<both>and))\s+)"
)
_BEHIND_BETWEEN = re.compile(r"\bbetween\s+$", re.IGNORECASE)
_SHORT = re.compile(r"[kKM]\b")
# A number that goes on: a telephone number, a day, a time, a part of a name.
_GOES_ON_BEFORE = re.compile(r"[\w.,/:#–—-]$")
_GOES_ON_BEHIND = re.compile(r"[-–—/:.]?\d|[-–—/]\w")
_PHONE = re.compile(r"\d{3}[-–—]\d{4}")
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_CHANGES = re.compile(
    r"\b(?:r[oi]se|rais|increas|gr[eo]w|fall|fell|drop|declin|decreas|chang|went|reduc|cut"
    r"|expand|improv|moved|lower|climb|jump|extend|convert|upgrad)\w*\b[^.;]*$",
    re.IGNORECASE,
)
_SCORES = re.compile(
    r"\b(?:w[io]n|wins|beat|lost|lose|drew|scor\w+|victory|defeat\w*)\b[^.;]*$", re.IGNORECASE
)
_BEFORE = 60
_FOR_AN_END = re.compile(
    r"\b(?:min|max|minimum|maximum|minimal|maximal|least|most|more|fewer|less|up to|start\w*|from"
    r"|beg[iau]n\w*|end|ends|until|till|first|last|upper|lower|\w{3,}est)\b",
    re.IGNORECASE,
)


def keeps_ends(asked: AskedFor) -> bool:
    """Whether one end of a range may answer a question."""
    return asked.kind in {Kind.DATE, Kind.CLOSED} or _FOR_AN_END.search(asked.text) is not None


def number_ranges(text: str, start: int, end: int) -> list[Span]:
    """The ranges between two offsets of a text."""
    return list(_ranges(text, start, end)) if _JOINS.search(text, start, end) else []


def whole_range(ranges: Sequence[Span], span: Span) -> Span:
    """The range that a span lies in, else the span."""
    return next((one for one in ranges if one[0] <= span[0] and span[1] <= one[1]), span)


def _ranges(text: str, start: int, end: int) -> Iterator[Span]:
    values = list(typed_spans(text, start, end, Kind.NUMBER))
    for one, other in zip(values, values[1:], strict=False):
        joined = _JOINS.fullmatch(text, one[1], other[0]) if one[1] < other[0] else None
        if joined is None or not _is_range(text, one, other, joined):
            continue
        short = _SHORT.match(text, other[1])
        yield one[0], short.end() if short else other[1]


def _is_range(text: str, one: Span, other: Span, joined: re.Match[str]) -> bool:
    said, then = text[slice(*one)], text[slice(*other)]
    before = text[max(0, one[0] - _BEFORE) : one[0]]
    if _GOES_ON_BEFORE.search(before) or _GOES_ON_BEHIND.match(text, other[1]):
        return False
    if joined["both"] and not _BEHIND_BETWEEN.search(before):
        return False
    if joined["word"] in {"to", "up to", "through"} and _CHANGES.search(before):
        return False
    if joined["word"] != "or" and _SCORES.search(before):
        return False
    if _PHONE.fullmatch(text, one[0], other[1]) or (_YEAR.fullmatch(said) and _YEAR.match(then)):
        return False
    least, greatest = number_of(said), number_of(then)
    return least is not None and greatest is not None and least < greatest

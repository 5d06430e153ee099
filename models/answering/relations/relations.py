"""Relations that questions ask for and pages state: born in, directed by, daughter of.

Each relation has a pattern for questions, and patterns for sentences about the page's subject. In a
pattern `<N>`, `<D>` and `<P>` are the answer: a name, a date, a place; `<n>`, `<d>` and `<p>` match
one that is not the answer; `<t>` and `<s>` match titles and descriptions before a name, `<by>` the
word with such a description. If no pattern matches, the span extractor looks near the question's
words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from factmill.models.answering.sentences.spans import UPPER
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.text.span import Span

# "d'Arco" is a word of a name.
_WORD = (
    rf"(?:[dl]['’])?[{UPPER}](?:[\w'’&-]|\.(?=\w)){{0,40}}"
    rf"(?:(?<=\b[{UPPER}])\.|(?<=Jr|Sr|St|Dr)\.)?"
)
_TIE = (
    r"(?:of|de|da|di|du|del|della|van|von|der|den|la|le|el|al|bin|ibn|y|zu|af|the|ter|do|dos|mac"
    r"|ap|ab|ben|bint|ua)"
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan\.?|Feb\.?|Mar\.?|Apr\.?|Jun\.?|Jul\.?|Aug\.?|Sept?\.?|Oct\.?|Nov\.?|Dec\.?)"
)
_NO_NAME = (
    rf"(?!(?:{_MONTH}|He|She|It|They|His|Her|The|In|On|At|After|When|While|A|An|This)(?![\w.])"
    r"|(?:AD|BCE?|CE)(?!\w))"
)
# Words are parted by a space: a word has hyphens of its own, so "A-B-C" is read in one way.
# "IV" alone is none.
_NAME = (
    rf"(?![IVX]+(?!\w)){_NO_NAME}{_WORD}"
    rf"(?: [ -]*(?:{_TIE} [ -]*){{0,2}}{_NO_NAME}{_WORD}){{0,7}}(?!\w)"
)
_RANK = r"(?:Duke|Earl|Baron|Count|King|Prince|Landgrave|Marquess|Margrave|Elector|Viscount)"
_ORDINAL = (
    rf"(?:, (?:\d+(?:st|nd|rd|th) )?{_RANK}\b(?: of (?:the )?[{UPPER}][^\s,.;()]*"
    rf"(?: [{UPPER}][^\s,.;()]*){{0,4}})?)?"
)
# A name that is just an adjective of what follows: "Puerto Rican actress Mapy Cortés".
_NO_ADJECTIVE = (
    r"(?! (?!(?:and|in|of|on|at|from|with|for|to|who|by|as|the|or|after|before|during|since|until"
    rf"|when|was|is|had|but|while)\b)[a-z-]+,? [{UPPER}]| [{UPPER}](?!\w*\d))"
)
_YEAR = r"(?:1\d{3}|20\d{2}|[1-9]\d{2})"
_DATE = (
    rf"(?:(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?{_MONTH},? {_YEAR}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? {_YEAR}|{_YEAR})\b"
)
_PLACE = rf"(?:the )?{_NAME}(?:, {_NAME}){{0,2}}"
# Titles and descriptions between a word of a relation and the name.
_TITLE = (
    r"(?:(?:the |a |an |his |her |its |their |former |late |first |second |third |fellow )?"
    r"(?:[\w-]+[ ,]+){0,4}?)"
)
# The same directly before a name: "by American director", "by the".
_SHORT = (
    r"(?:(?:the |an? |his |her )?(?:[A-Z][a-z]+(?:-[A-Z]?[a-z]+)? (?=[a-z]))?(?:[a-z-]+ ){0,5})"
)


class Stated(NamedTuple):
    """An answer in a text, the number of the pattern that found it, and where its match begins."""

    answer: Span
    pattern: int
    begin: int


@dataclass(frozen=True)
class Relation:
    """`asks` matches questions for the relation; `states` are patterns of sentences, most reliable
    first.
    """

    name: str
    kind: Kind
    asks: str
    states: tuple[str, ...]
    question: str

    @property
    def is_person(self) -> bool:
        """Whether the answer is a person's name."""
        return self.kind is Kind.PERSON

    @cached_property
    def asked(self) -> re.Pattern[str]:
        return re.compile(self.asks, re.IGNORECASE)

    @cached_property
    def patterns(self) -> list[re.Pattern[str]]:
        return [re.compile(_expanded(pattern)) for pattern in self.states]

    def stated(self, text: str) -> Iterator[Stated]:
        """Answers in a text."""
        for number, pattern in enumerate(self.patterns):
            for match in pattern.finditer(text):
                yield Stated(_trimmed(text, *match.span(1)), number, match.start())


_SIGNS = {
    "<N>": rf"({_NAME}{_ORDINAL}){_NO_ADJECTIVE}",
    "<A>": rf"({_NAME}{_ORDINAL})",
    "<D>": f"({_DATE})",
    "<P>": f"({_PLACE})",
    "<d>": _DATE,
    "<n>": _NAME,
    "<p>": _PLACE,
    "<t>": _TITLE,
    "<by>": rf"\bby {_SHORT}",
    "<s>": _SHORT,
}


def _expanded(pattern: str) -> str:
    for sign, meaning in _SIGNS.items():
        pattern = pattern.replace(sign, meaning)
    return pattern


def _trimmed(text: str, start: int, end: int) -> Span:
    while end > start and text[end - 1] in ",;:' ’":
        end -= 1
    if text[start:end].endswith(("'s", "’s")):
        end -= 2
    return start, end

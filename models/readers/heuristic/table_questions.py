"""Which cells of a table are asked about. A row states all its cells; a question about one of them
has to name what decides it.

| not asked | because |
|---|---|
| "the away team of Lund" | a row is a match; Lund played others |
| "the goals of Lund FC" beside a column of seasons | a row is of one season of a career |
| "the date of Runner-up" | the row's name is a result |
| "the goals of Total", "of 3 May", "of Last updated" | it names no thing |
| "the last title", "the age" | it may be another one by now |
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.readers.heuristic.attribute_questions import as_noun
from factmill.models.readers.heuristic.days_without_year import YEAR
from factmill.models.readers.heuristic.moving_figures import is_day
from factmill.models.readers.heuristic.table_headers import NUMERIC
from factmill.models.text.markdown_tables import Cell

_OF_TWO_SIDES = frozenset("away opponent opponents visitor visitors".split())
_RESULTS = frozenset("outcome result score opponent".split())
_OF_A_CAREER = frozenset(
    "club team entrant tournament competition championship event league".split()
)
_SEASONS = frozenset("year years season seasons".split())
# Rows that add up others: what they are the total of is known beside them only.
_TOTALS = frozenset("total totals overall career average sum all".split())
_AS_OF = re.compile(r"(?:last )?updated\b|as of\b", re.IGNORECASE)
_LATEST = re.compile(
    r"(?:current|latest|recent|present|last (?:title|win|winner|champion|final|update|season"
    r"|appearance|meeting|match|game))\b",
    re.IGNORECASE,
)
_MARKS = "*†‡§^ "  # of footnotes


def rows_are_asked_about(header: Sequence[Cell], key: int) -> bool:
    """Whether the name of a row, in the column `key`, decides the values of its cells."""
    nouns = [as_noun(column.plain).lower() for column in header]
    heads = {word for noun in nouns for word in noun.split()}
    if nouns[key] in _RESULTS or not heads.isdisjoint(_OF_TWO_SIDES):
        return False
    others = {noun for number, noun in enumerate(nouns) if number != key}
    return nouns[key] not in _OF_A_CAREER or others.isdisjoint(_SEASONS)


def names_a_thing(name: str) -> bool:
    """Whether the name of a row is one of a thing, and no number, day or total."""
    plain = name.lower().rstrip("*: ")
    other = NUMERIC.fullmatch(name) or _AS_OF.match(name)
    return not (other or plain in _TOTALS or is_day(name))


def is_settled(column: str, around: str) -> bool:
    """Whether the value of a column stays as it is. `around`: the row and what names the table."""
    if _LATEST.match(column):
        return False
    return as_noun(column).lower() != "age" or YEAR.search(around) is not None


def without_marks(name: str) -> str:
    """The name of a row without marks of footnotes."""
    return name.rstrip(_MARKS) or name

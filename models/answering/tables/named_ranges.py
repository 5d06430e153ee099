"""Days and months that a cell means without naming them: "Tuesday" by "Monday to Friday", "May" by
"Summer (1 April to 30 September)".
"""

from __future__ import annotations

import re
from functools import lru_cache

from factmill.models.answering.tables.cell_mentions import CellMention
from factmill.models.answering.tables.question_words import QuestionWords
from factmill.models.answering.tables.typed_table import TypedTable
from factmill.models.answering.words.dates_and_numbers import MONTHS

_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_CYCLES = (tuple(_DAYS), tuple(MONTHS))
_NAMES = "|".join([*_DAYS, *MONTHS])
_SHORT = {name[:3]: name for name in (*_DAYS, *MONTHS)}
_NAME = rf"(?:{_NAMES}|{'|'.join(_SHORT)})"
_DAYS_ASKED = frozenset("day days date dates".split())
_RANGE = re.compile(
    rf"\b(?P<first>{_NAME})s?\b\.?(?:\s?(?:to|until|till|through|[-–—])\s?(?:\d{{1,2}} )?"
    rf"(?P<last>{_NAME})s?\b)?",
    re.IGNORECASE,
)


def time_mentions(asked: QuestionWords, table: TypedTable) -> list[CellMention]:
    """Days and months that cells name or span: "on a Tuesday" where a row is "Monday to Friday".
    Which days of a month are meant says no cell that spans the month.
    """
    found = []
    asks_for_days = not _DAYS_ASKED.isdisjoint(asked.words)
    for position, spelled in enumerate(asked.spelled):
        time = _named_time(spelled) if spelled[0].isupper() and not asks_for_days else ""
        for column in table.columns if time else ():
            cells = [row[column.index].text for row in table.rows]
            spans = {n for n, text in enumerate(cells) if len(_times_of(text)) > 1}
            rows = frozenset(n for n, text in enumerate(cells) if time in _times_of(text))
            if rows & spans:
                found.append(CellMention(position, position + 1, column, rows))
    return found


def _named_time(word: str) -> str:
    """The day or month that a word of a question names, "" for another word."""
    name = word.lower().removesuffix("s")
    return name if name in _SHORT.values() else ""


@lru_cache(1 << 12)
def _times_of(text: str) -> frozenset[str]:
    """The days and months that a cell names or spans."""
    found: set[str] = set()
    for match in _RANGE.finditer(text):
        first = _SHORT[match["first"].casefold()[:3]]
        last = _SHORT[match["last"].casefold()[:3]] if match["last"] else first
        cycle = next(one for one in _CYCLES if first in one)
        if last in cycle:
            start = cycle.index(first)
            length = (cycle.index(last) - start) % len(cycle) + 1
            found.update((cycle * 2)[start : start + length])
    return frozenset(found)

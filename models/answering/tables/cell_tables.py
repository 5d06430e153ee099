"""A Markdown table as rows of cells with the stems of their words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from factmill.models.answering.words.content_words import content_stems

_ROW = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.MULTILINE)
_CELL = re.compile(r"(?:\\.|[^|\\])*")
_RULE = re.compile(r"[\s|:-]*")
_CORE = re.compile(r"[^(),;]+")


class TableCell(NamedTuple):
    """Where a cell stands, and its stems: all, and those of its first words up to a comma or
    parenthesis, which name the row."""

    start: int
    end: int
    stems: frozenset[str]
    core: frozenset[str]


class CellTable(NamedTuple):
    """`above` are the stems of what is written above the table."""

    above: frozenset[str]
    header: tuple[TableCell, ...]
    rows: tuple[tuple[TableCell, ...], ...]


@lru_cache(512)
def table_of(text: str) -> CellTable | None:
    """The table of a segment, None when there is none."""
    found = [_cells(text, row) for row in _ROW.finditer(text)]
    rows = [row for row in found if row]
    if len(rows) < 2:
        return None
    above = frozenset(content_stems(text[: rows[0][0].start]))
    return CellTable(above, rows[0], tuple(rows[1:]))


def _cells(text: str, row: re.Match[str]) -> tuple[TableCell, ...]:
    """The cells of a row without the blanks around them; none of the line below the header."""
    if "-" in row.group() and _RULE.fullmatch(row.group()):
        return ()
    cells, position = [], row.start(1)
    while position <= row.end(1):
        cell = _CELL.match(text, position, row.end(1))
        assert cell is not None
        inner = cell.group()
        start = cell.start() + len(inner) - len(inner.lstrip())
        end = max(start, cell.start() + len(inner.rstrip()))
        core = _CORE.match(text, start, end)
        cells.append(
            TableCell(
                start,
                end,
                _stems(text[start:end]),
                _stems(core.group() if core else text[start:end]),
            )
        )
        position = cell.end() + 1
    return tuple(cells)


def _stems(text: str) -> frozenset[str]:
    """Stems; of a single letter or a word that is in every sentence the word itself."""
    return frozenset(content_stems(text)) or frozenset({text.strip().lower()} - {""})

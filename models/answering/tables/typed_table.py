"""A Markdown table as a relation: named and typed columns, and rows of cells with their offsets.

Rows that sum up the others, and repeated headers, are left out: they would count twice. A table of
keys and values has no header; its columns have no names.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from factmill.models.answering.tables.cell_values import CellValue, cell_value, denies, is_blank
from factmill.models.answering.tables.one_unit import in_one_unit
from factmill.models.answering.words.content_words import content_stems, stem
from factmill.models.text.markdown_tables import Cell, markdown_rows
from factmill.models.text.table_sections import keys_above, part_of, with_sections

# A segment about this long may be one part of a longer table.
_MAX_CHARACTERS = 28_000
MAX_ROWS = 600
_MOSTLY = 0.8
_SUMS = frozenset("total totals sum average mean overall combined subtotal".split())
# "Total", "Grand total", "Total rejected ballots"; not "Total Recall".
_SUM_OF = re.compile(r"(?:[\w-]+ )?(?i:totals?)(?:(?: [a-z]+){1,3}| \([^()]*\))?\W*")
_DASHES = frozenset("-–—")
_DATED = re.compile(r"\b(?:year|date|season|born|founded|established|opened|built|day)\b", re.I)
_YEAR_NAME = re.compile(r"\b(?:year|season|date)\b", re.I)
_RANKS = re.compile(r"^(?:#|no\.?|nr\.?|rank|rk\.?|pos\.?|position|place|\W*)$", re.IGNORECASE)


class ColumnKind(Enum):
    """The kind of most cells of a column."""

    NUMBER = "number"
    DATE = "date"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Column:
    """`stems` are those of the content words of its name."""

    index: int
    name: str
    stems: tuple[str, ...]
    kind: ColumnKind

    @property
    def is_rank(self) -> bool:
        return _RANKS.match(self.name.strip()) is not None

    @property
    def is_amount(self) -> bool:
        """Whether its numbers can be summed: neither ranks nor years."""
        return self.kind is ColumnKind.NUMBER and not (self.is_rank or self.is_of_years)

    @property
    def is_of_years(self) -> bool:
        """Whether its name says years, and not what happened in them: "Built"."""
        return _YEAR_NAME.search(self.name) is not None


@dataclass(frozen=True, slots=True)
class TypedCell:
    """`markdown[start:end]` is the cell; `value` is in the unit of its column, if that has one."""

    text: str
    start: int
    end: int
    value: CellValue

    @property
    def blank(self) -> bool:
        return is_blank(self.text)

    @property
    def denies(self) -> bool:
        return denies(self.text)

    @property
    def says_nothing(self) -> bool:
        """Whether it has no content for its column; a 0 is a number."""
        return self.blank or (self.denies and self.value.number is None)


Row = tuple[TypedCell, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TypedTable:
    """`caption` is the text above the table, `header` the cells of the columns' names. `key` is the
    column that names the rows. A table that is not `whole` may continue elsewhere: nothing is
    counted or compared in it. `year` is the column that was made of the years of a header
    (`years_as_rows`).
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    key: Column
    whole: bool = True
    header: Row = ()
    year: Column | None = None

    @property
    def is_keyed(self) -> bool:
        """Whether each row is a key and its value, and no column has a name."""
        return not any(column.name.strip() for column in self.columns)


@lru_cache(256)
def typed_table(markdown: str) -> TypedTable | None:
    """None for a text that is not a table with a header or with keys."""
    lines = [line for line in markdown_rows(markdown) if line]
    if len(lines) < 2:
        return None
    header = [cell.plain for cell in lines[0]]
    width = len(header)
    if not any(header):
        lines = [lines[0], *_keys_told_apart(lines[1:])]
    if width != 2 and not any(header):
        return None
    rows = [_row(line) for line in lines[1:] if len(line) == width]
    rows = [row for row in rows if not _is_left_out(row, header)]
    if not rows:
        return None
    whole = len(markdown) <= _MAX_CHARACTERS and len(rows) <= MAX_ROWS
    rows = _in_one_unit(rows[:MAX_ROWS])
    columns = tuple(_column(index, name, rows) for index, name in enumerate(header))
    caption = markdown.split("\n|", 1)[0] if not markdown.startswith("|") else ""
    return TypedTable(caption, columns, tuple(rows), _key(columns, rows), whole, _row(lines[0]))


def _keys_told_apart(lines: list[list[Cell]]) -> list[list[Cell]]:
    """The rows of keys and values. A key that several sections have is told with its section, and a
    part ("of which saturated") with the key that it is a part of."""
    keys = Counter(line[0].plain.lower() for line in lines if line)
    found = []
    sections = list(with_sections(lines))
    for (section, line), above in zip(sections, keys_above(sections), strict=True):
        key = line[0]
        if above:
            key = Cell(f"{part_of(key.text)} {above}", key.start, key.end)
        elif section and keys[key.plain.lower()] > 1:
            key = Cell(f"{section} {key.text}", key.start, key.end)
        found.append([key, *line[1:]])
    return found


def _row(line: list[Cell]) -> Row:
    return tuple(
        TypedCell(cell.plain, cell.start, cell.end, cell_value(cell.plain)) for cell in line
    )


def _in_one_unit(rows: list[Row]) -> list[Row]:
    """The rows with the numbers of each column in one unit, if possible."""
    columns = [in_one_unit([cell.value for cell in column]) for column in zip(*rows, strict=True)]
    return [
        tuple(replace(cell, value=value) for cell, value in zip(row, values, strict=True))
        for row, values in zip(rows, zip(*columns, strict=True), strict=True)
    ]


def _is_left_out(row: Row, header: list[str]) -> bool:
    texts = [cell.text for cell in row]
    filled = [text for text in texts if not is_blank(text)]
    is_section = len(row) > 2 and len(set(filled)) == 1
    if is_section and len(filled) == 1 and any(text in _DASHES for text in texts):
        is_section = False  # a row of which only the name is known: "Ruff | – | –"
    if not filled or texts == header or is_section:
        return True
    words = next((text for text in filled if cell_value(text).number is None), "")
    return words.lower().strip(" :.") in _SUMS or _SUM_OF.fullmatch(filled[0]) is not None


def _column(index: int, name: str, rows: list[Row]) -> Column:
    cells = [row[index] for row in rows if not row[index].says_nothing]
    numbers = sum(cell.value.number is not None for cell in cells)
    dates = sum(cell.value.date is not None for cell in cells)
    kind = ColumnKind.TEXT
    if cells and dates >= _MOSTLY * len(cells) and (numbers < len(cells) or _years(name, cells)):
        kind = ColumnKind.DATE
    elif cells and numbers >= _MOSTLY * len(cells):
        kind = ColumnKind.NUMBER
    stems = content_stems(name) or [stem(word) for word in name.lower().split()]
    return Column(index, name, tuple(stems), kind)


def _years(name: str, cells: list[TypedCell]) -> bool:
    """Whether a column of four-digit numbers holds years."""
    if _DATED.search(name):
        return True
    return all(cell.value.date is not None and cell.value.date.year >= 1500 for cell in cells)


def _key(columns: tuple[Column, ...], rows: list[Row]) -> Column:
    """The first column of mostly distinct texts, else the first column of texts."""
    if not any(column.name.strip() for column in columns):
        return columns[0]
    for kinds in ({ColumnKind.TEXT}, {ColumnKind.TEXT, ColumnKind.DATE}):
        for column in columns:
            if column.kind not in kinds or column.is_rank:
                continue
            texts = Counter(row[column.index].text for row in rows if not row[column.index].blank)
            if len(texts) > 0.6 * len(rows):
                return column
    return columns[0]

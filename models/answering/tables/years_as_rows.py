"""A table whose columns are years, with a row for each year: "in which year did the most breed?"

Species | Pairs 2020 | Pairs 2021        Species | Year | Pairs
Tern    | 58         | 61                Tern    | 2020 | 58
                                         Tern    | 2021 | 61
"""

from __future__ import annotations

import re
from functools import lru_cache

from factmill.models.answering.tables.cell_values import cell_value
from factmill.models.answering.tables.typed_table import (
    MAX_ROWS,
    Column,
    ColumnKind,
    Row,
    TypedCell,
    TypedTable,
)
from factmill.models.answering.words.content_words import content_stems, stem

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_MIN_YEAR_COLUMNS = 3  # columns of years; two are a comparison


@lru_cache(256)
def years_as_rows(table: TypedTable) -> TypedTable | None:
    """None for a table without three columns of numbers that only their year tells apart. Values
    and years keep their spans."""
    years: list[tuple[Column, re.Match[str]]] = []
    named = set()
    for column in table.columns:
        found = _YEAR.findall(column.name)
        if column.kind is ColumnKind.NUMBER and len(found) == 1:
            match = _YEAR.search(column.name)
            assert match is not None
            years.append((column, match))
            named.add(_YEAR.sub("", column.name).strip())
    if len(years) < _MIN_YEAR_COLUMNS or len(named) > 1 or len(years) * len(table.rows) > MAX_ROWS:
        return None
    of_years = {column for column, _ in years}
    others = [column for column in table.columns if column not in of_years]
    if not others or table.key in of_years:
        return None
    value = named.pop() or table.caption.strip().rsplit("\n", 1)[-1]
    kept = [
        Column(index, column.name, column.stems, column.kind) for index, column in enumerate(others)
    ]
    year = Column(len(kept), "Year", (stem("year"),), ColumnKind.DATE)
    columns = (
        *kept,
        year,
        Column(len(kept) + 1, value, tuple(content_stems(value)), ColumnKind.NUMBER),
    )
    rows: list[Row] = [
        (*(row[column.index] for column in others), _year(table, column, match), row[column.index])
        for row in table.rows
        for column, match in years
    ]
    key = kept[others.index(table.key)]
    return TypedTable(table.caption, columns, tuple(rows), key, table.whole, year=year)


def _year(table: TypedTable, column: Column, match: re.Match[str]) -> TypedCell:
    """The year of a header's cell, as a cell."""
    start = table.header[column.index].start + match.start()
    return TypedCell(match.group(), start, start + 4, cell_value(match.group()))

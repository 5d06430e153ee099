"""The result of a query on one table: rows that fit, a value made of their cells, and trust.

    conditions -> rows -> the cell, how many, the sum, the greatest, the nth, the difference

Plain Python over one table of some hundred rows: loading a database and the table into it would
take longer than the computation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from factmill.models.answering.calculator.calculator_numbers import number_text
from factmill.models.answering.tables.one_unit import are_alike
from factmill.models.answering.tables.row_conditions import Condition
from factmill.models.answering.tables.table_query import TableOperation, TableQuery
from factmill.models.answering.tables.typed_table import Column, ColumnKind, TypedCell, TypedTable
from factmill.models.text.span import Span

# Trust in a query that was fully understood.
_SURE = 0.95
# Factors on trust for an answer of several cells, a tie, or missing values.
_SEVERAL, _TIED, _MISSING, _UNSORTED = 0.6, 0.3, 0.85, 0.75
# No matching row seldom means a count of zero: another table may be meant.
_NO_ROW = 0.3
# A count of all rows; of texts that stand in several rows; years between dates, without their days.
_ALL_ROWS, _REPEATED, _WHOLE_YEARS = 0.9, 0.85, 0.9
_MAX_LISTED = 12
_MAX_CITED = 12


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """`cells` are spans of the Markdown, deciding ones first. `derivation` explains how the answer
    follows from them.
    """

    text: str
    score: float
    cells: tuple[Span, ...]
    derivation: str


class _Result(NamedTuple):
    """A value, the cells it comes from, and what is left of trust in it."""

    text: str
    cells: list[TypedCell]
    trust: float


def evaluated(table: TypedTable, query: TableQuery) -> TableAnswer | None:
    """The result of a query on one table; None if its rows have none."""
    return _Evaluation(table, query).answer()


class _Evaluation:
    def __init__(self, table: TypedTable, query: TableQuery) -> None:
        self.table, self.query = table, query
        self.rows = _fitting_rows(table, query.conditions)

    def answer(self) -> TableAnswer | None:
        query = self.query
        found = self._of_options() if query.options else self._of_rows()
        if found is None:
            return None
        named = [
            self.table.rows[n][one.column.index]
            for one in self._conditions()
            for n in self._few(one)
        ]
        spans = [(cell.start, cell.end) for cell in [*found.cells, *named]]
        return TableAnswer(
            found.text,
            _SURE * query.trust * found.trust,
            tuple(dict.fromkeys(spans))[:_MAX_CITED],
            self._said(),
        )

    def _conditions(self) -> Sequence[Condition]:
        return self.query.options or self.query.conditions

    def _few(self, one: Condition) -> list[int]:
        rows = one.rows if self.query.options else one.rows.intersection(self.rows)
        return sorted(rows)[:_MAX_CITED]

    def _said(self) -> str:
        query = self.query
        by = query.order if query.order != query.target else None
        rows = f"in {len(self.rows)} of {len(self.table.rows)} rows"
        named = [query.operation.value, _named("of", query.target), _named("by", by), rows]
        return " ".join(filter(None, named))

    def _of_rows(self) -> _Result | None:
        operation, query = self.query.operation, self.query
        if operation is TableOperation.COUNT:
            return self._count()
        if not self.rows:
            return None
        if operation in {TableOperation.SUM, TableOperation.MEAN}:
            return self._total(operation is TableOperation.MEAN)
        if operation in {TableOperation.LEAST, TableOperation.MOST}:
            return (
                self._commonest()
                if query.order is None
                else self._extreme(operation is TableOperation.MOST)
            )
        if operation is TableOperation.NTH:
            return self._nth()
        if operation in {TableOperation.AFTER, TableOperation.BEFORE}:
            return self._neighbour(1 if operation is TableOperation.AFTER else -1)
        return self._cells_of(self.rows, query.target)

    def _cells_of(self, rows: Iterable[int], target: Column) -> _Result | None:
        cells = [self.table.rows[n][target.index] for n in rows]
        cells = [cell for cell in cells if not cell.blank]
        texts = list(dict.fromkeys(cell.text for cell in cells))
        if not texts or len(texts) > _MAX_LISTED:
            return None
        listed = ", ".join(texts[:-1])
        text = f"{listed} and {texts[-1]}" if listed else texts[-1]
        return _Result(text, cells, 1.0 if self.query.wants_all or not listed else _SEVERAL)

    def _count(self) -> _Result:
        query = self.query
        cells = [self.table.rows[n][query.target.index] for n in self.rows]
        filled = [cell for cell in cells if not cell.says_nothing]
        if query.order is None and cells:
            return _Result(str(len(self.rows)), cells, 1.0 if query.conditions else _ALL_ROWS)
        texts = {cell.text for cell in filled}
        if not texts:
            return _Result("0", cells, _NO_ROW)
        trust = 1.0 if len(texts) == len(filled) else _REPEATED
        return _Result(str(len(texts)), filled, trust)

    def _worth(self, row: int, column: Column) -> Fraction | None:
        """The number of a cell; of a date its digits, 17420131, which are in order."""
        value = self.table.rows[row][column.index].value
        if column.kind is ColumnKind.DATE and value.date is not None:
            date = value.date
            return Fraction(date.year * 10000 + date.month * 100 + date.day)
        return value.number

    def _valued(self, column: Column) -> list[tuple[Fraction, int]]:
        worths = [(self._worth(n, column), n) for n in self.rows]
        return [(worth, n) for worth, n in worths if worth is not None]

    def _total(self, mean: bool) -> _Result | None:
        valued = self._valued(self.query.target)
        if not valued:
            return None
        cells = [self.table.rows[n][self.query.target.index] for _, n in valued]
        total = sum((worth for worth, _ in valued), Fraction(0))
        missing = 1.0 if len(valued) == len(self.rows) else _MISSING
        units = {cell.value.unit for cell in cells}
        shared = 1.0 if are_alike(units) else _TIED
        value = total / len(valued) if mean else total
        return _Result(number_text(value), cells, missing * shared)

    def _extreme(self, most: bool) -> _Result | None:
        order = self.query.order
        assert order is not None
        valued = self._valued(order)
        if not valued:
            return None
        best = max(valued)[0] if most else min(valued)[0]
        rows = [n for worth, n in valued if worth == best]
        found = self._cells_of(rows, self.query.target)
        if found is None:
            return None
        cells = [*found.cells, *(self.table.rows[n][order.index] for n in rows)]
        units = {self.table.rows[n][order.index].value.unit for _, n in valued}
        missing = 1.0 if len(valued) >= 0.9 * len(self.rows) else _MISSING
        tied = _TIED if found.trust < 1.0 else 1.0
        alike = 1.0 if are_alike(units) else _MISSING
        return _Result(found.text, cells, missing * tied * alike)

    def _commonest(self) -> _Result | None:
        cells = [self.table.rows[n][self.query.target.index] for n in self.rows]
        counts = Counter(cell.text for cell in cells if not cell.blank).most_common(2)
        if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
            return None
        commonest = counts[0][0]
        return _Result(commonest, [cell for cell in cells if cell.text == commonest], 1.0)

    def _nth(self) -> _Result | None:
        query, rows, sorted_ = self.query, self.rows, 1.0
        if query.order is not None:
            valued = self._valued(query.order)
            ordered = [n for _, n in sorted(valued)]
            if len(valued) < len(rows) or len({worth for worth, _ in valued}) < len(valued):
                sorted_ = _MISSING
            if ordered not in (rows, rows[::-1]):
                sorted_ *= _UNSORTED
            rows = ordered
        position = query.nth - 1 if query.nth > 0 else query.nth
        if not -len(rows) <= position < len(rows):
            return None
        found = self._cells_of([rows[position]], query.target)
        return found._replace(trust=found.trust * sorted_) if found else None

    def _neighbour(self, step: int) -> _Result | None:
        row = self.rows[0] + step
        if len(self.rows) != 1 or not 0 <= row < len(self.table.rows):
            return None
        return self._cells_of([row], self.query.target)

    def _of_options(self) -> _Result | None:
        query, order = self.query, self.query.order
        assert order is not None
        worths, cells, units = [], [], []
        for option in query.options:
            values = [(self._worth(n, order), n) for n in sorted(option.rows)]
            known = [(worth, n) for worth, n in values if worth is not None]
            if len(known) != 1:
                return None
            worths.append(known[0][0])
            cells.append(self.table.rows[known[0][1]][order.index])
            units.append(cells[-1].value.unit)
        if not are_alike(units):
            return None
        if query.operation is TableOperation.DIFFERENCE:
            if order.kind is ColumnKind.DATE:
                years = abs(int(worths[0]) // 10000 - int(worths[1]) // 10000)
                return _Result(str(years), cells, _WHOLE_YEARS)
            return _Result(number_text(abs(worths[0] - worths[1])), cells, 1.0)
        if worths[0] == worths[1]:
            return None
        best = worths.index(max(worths) if query.operation is TableOperation.MOST else min(worths))
        (row,) = sorted(query.options[best].rows)[:1]
        return _Result(self.table.rows[row][query.target.index].text, cells, 1.0)


def _named(word: str, column: Column | None) -> str:
    """The word and the name of the column, "" for a column without one."""
    return f"{word} {column.name!r}" if column and column.name.strip() else ""


def _fitting_rows(table: TypedTable, conditions: Sequence[Condition]) -> list[int]:
    """The numbers of the rows that meet all conditions; mutually exclusive conditions on one column
    are alternatives.
    """
    by_column: dict[Column, frozenset[int]] = {}
    for one in conditions:
        before = by_column.get(one.column)
        both = one.rows if before is None else before & one.rows
        by_column[one.column] = both if both or before is None else before | one.rows
    rows = set(range(len(table.rows))).intersection(*by_column.values())
    return sorted(rows)

"""The answer of a table to a question, with its supporting cells.

    question, Markdown -> typed table -> query -> matching rows -> value, cells, trust

Plain Python over one table of some hundred rows: loading a database and the table into it would
take longer than the computation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from factmill.models.answering.calculator.calculator_numbers import number_text
from factmill.models.answering.tables.answer_kinds import is_of_kind
from factmill.models.answering.tables.one_unit import are_alike
from factmill.models.answering.tables.question_reading import query_of
from factmill.models.answering.tables.row_conditions import Condition
from factmill.models.answering.tables.table_query import TableOperation, TableQuery
from factmill.models.answering.tables.typed_table import (
    Column,
    ColumnKind,
    TypedCell,
    TypedTable,
    typed_table,
)
from factmill.models.answering.tables.years_as_rows import years_as_rows
from factmill.models.answering.words.asked_for import AskedFor, asked_for
from factmill.models.answering.words.content_words import content_stems
from factmill.models.answering.words.question_kinds import Kind, kind_of
from factmill.models.text.span import Span

# Factors on trust for an answer of several cells, a tie, or missing values.
_SEVERAL, _TIED, _MISSING, _UNSORTED = 0.6, 0.3, 0.85, 0.75
# No matching row seldom means a count of zero: another table may be meant.
_NO_ROW = 0.3
# Operations that also work on a part of a table.
_OF_A_ROW = frozenset({TableOperation.LOOKUP, TableOperation.AFTER, TableOperation.BEFORE})
_OF_ALL_ROWS = frozenset({TableOperation.COUNT, TableOperation.SUM, TableOperation.MEAN})
_TITLE_PARTS = re.compile(r"\s+[|·–—-]\s+|:\s+")
# Questions whose first word gives the kind of answer, without a noun that may name a column.
_BARE = re.compile(r"(?:who|whom|whose|when|where|how)\b", re.IGNORECASE)
_MAX_LISTED = 12
# A longer question is not asked of tables: the time grows with its length times their cells.
_MAX_CHARACTERS = 2000
_MAX_CITED = 12
_SURE = 0.95
# Answers below this are withheld: see `tests/benchmarks/bench_table_questions.py`.
TABLE_THRESHOLD = 0.75


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """`cells` are spans of the Markdown, deciding ones first. `derivation` explains how the answer
    follows from them.
    """

    text: str
    score: float
    cells: tuple[Span, ...]
    derivation: str


def answer_from_table(
    question: str, markdown: str, title: str = "", near: frozenset[str] = frozenset()
) -> TableAnswer | None:
    """None if the table does not answer the question, or the question is too long. `title` is the
    page's, `near` are the stems of the rest of the page.
    """
    if len(question) > _MAX_CHARACTERS:
        return None
    kind = kind_of(question)
    table = typed_table(markdown)
    if table is None or kind in {Kind.CLOSED, Kind.REASON}:
        return None
    asked = asked_for(_without(question, title))
    about = frozenset(content_stems(f"{title} {table.caption}"))
    forms = [form for form in (table, years_as_rows(table)) if form is not None]
    answers = [_answer(asked, form, about, near) for form in forms]
    found = max(filter(None, answers), key=lambda one: one.score, default=None)
    names_kind = _BARE.match(asked.text) is None
    return found if found and (names_kind or is_of_kind(found.text, kind)) else None


def _answer(
    asked: AskedFor, table: TypedTable, about: frozenset[str], near: frozenset[str]
) -> TableAnswer | None:
    query = query_of(asked, table, about, near)
    if query is None or query.trust <= 0 or not (table.whole or query.operation in _OF_A_ROW):
        return None
    if table.year is not None and not _is_of_years(table.year, query):
        return None
    return _Evaluation(table, query).answer()


def _is_of_years(year: Column, query: TableQuery) -> bool:
    """Whether a query asks for a year, or for a value of one. Values of several years are neither
    counted nor added: they are of one thing."""
    if query.operation in _OF_ALL_ROWS:
        return False
    return query.target == year or any(one.column == year for one in query.conditions)


def _without(question: str, title: str) -> str:
    """The question without the page's title, whose words may also occur in cells."""
    for form in sorted({title, *_TITLE_PARTS.split(title)}, key=len, reverse=True):
        if len(form.split()) > 1:
            question = re.sub(rf"\b{re.escape(form)}(?!\w)", "", question, flags=re.IGNORECASE)
    return question


Found = tuple[str, list[TypedCell], float]


class _Evaluation:
    """Executes one query on one table."""

    def __init__(self, table: TypedTable, query: TableQuery) -> None:
        self.table, self.query = table, query
        self.rows = fitting_rows(table, query.conditions)

    def answer(self) -> TableAnswer | None:
        query = self.query
        found = self._of_options() if query.options else self._of_rows()
        if found is None:
            return None
        text, cells, share = found
        named = [
            self.table.rows[n][one.column.index]
            for one in self._conditions()
            for n in self._few(one)
        ]
        spans = [(cell.start, cell.end) for cell in [*cells, *named]]
        return TableAnswer(
            text,
            _SURE * query.trust * share,
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
        of = f" by {query.order.name!r}" if query.order and query.order != query.target else ""
        rows = f" in {len(self.rows)} of {len(self.table.rows)} rows"
        return f"{query.operation.value} of {query.target.name!r}{of}{rows}"

    def _of_rows(self) -> Found | None:
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

    def _cells_of(self, rows: Iterable[int], target: Column) -> Found | None:
        cells = [self.table.rows[n][target.index] for n in rows]
        cells = [cell for cell in cells if not cell.blank]
        texts = list(dict.fromkeys(cell.text for cell in cells))
        if not texts or len(texts) > _MAX_LISTED:
            return None
        listed = ", ".join(texts[:-1])
        text = f"{listed} and {texts[-1]}" if listed else texts[-1]
        return text, cells, 1.0 if self.query.wants_all or not listed else _SEVERAL

    def _count(self) -> Found:
        query = self.query
        cells = [self.table.rows[n][query.target.index] for n in self.rows]
        filled = [cell for cell in cells if not cell.says_nothing]
        if query.order is None and cells:
            return str(len(self.rows)), cells, 1.0 if query.conditions else 0.9
        texts = {cell.text for cell in filled}
        if not texts:
            return "0", cells, _NO_ROW
        sure = 1.0 if len(texts) == len(filled) else 0.85
        return str(len(texts)), filled, sure

    def _worth(self, row: int, column: Column) -> Fraction | None:
        value = self.table.rows[row][column.index].value
        if column.kind is ColumnKind.DATE and value.date is not None:
            date = value.date
            return Fraction(date.year * 10000 + date.month * 100 + date.day)
        return value.number

    def _valued(self, column: Column) -> list[tuple[Fraction, int]]:
        worths = [(self._worth(n, column), n) for n in self.rows]
        return [(worth, n) for worth, n in worths if worth is not None]

    def _total(self, mean: bool) -> Found | None:
        valued = self._valued(self.query.target)
        if not valued:
            return None
        cells = [self.table.rows[n][self.query.target.index] for _, n in valued]
        total = sum((worth for worth, _ in valued), Fraction(0))
        missing = 1.0 if len(valued) == len(self.rows) else _MISSING
        units = {cell.value.unit for cell in cells}
        shared = 1.0 if are_alike(units) else _TIED
        value = total / len(valued) if mean else total
        return number_text(value), cells, missing * shared

    def _extreme(self, most: bool) -> Found | None:
        order = self.query.order
        assert order is not None
        valued = self._valued(order)
        if len(valued) < 1:
            return None
        best = max(valued)[0] if most else min(valued)[0]
        rows = [n for worth, n in valued if worth == best]
        found = self._cells_of(rows, self.query.target)
        if found is None:
            return None
        text, cells, share = found
        cells = [*cells, *(self.table.rows[n][order.index] for n in rows)]
        units = {self.table.rows[n][order.index].value.unit for _, n in valued}
        missing = 1.0 if len(valued) >= 0.9 * len(self.rows) else _MISSING
        tied = _TIED if share < 1.0 else 1.0
        return text, cells, missing * tied * (1.0 if are_alike(units) else _MISSING)

    def _commonest(self) -> Found | None:
        cells = [self.table.rows[n][self.query.target.index] for n in self.rows]
        counts = Counter(cell.text for cell in cells if not cell.blank).most_common(2)
        if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
            return None
        return counts[0][0], [cell for cell in cells if cell.text == counts[0][0]], 1.0

    def _nth(self) -> Found | None:
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
        return (found[0], found[1], found[2] * sorted_) if found else None

    def _neighbour(self, step: int) -> Found | None:
        row = self.rows[0] + step
        if len(self.rows) != 1 or not 0 <= row < len(self.table.rows):
            return None
        return self._cells_of([row], self.query.target)

    def _of_options(self) -> Found | None:
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
                return str(abs(int(worths[0]) // 10000 - int(worths[1]) // 10000)), cells, 0.9
            return number_text(abs(worths[0] - worths[1])), cells, 1.0
        if worths[0] == worths[1]:
            return None
        best = worths.index(max(worths) if query.operation is TableOperation.MOST else min(worths))
        (row,) = sorted(query.options[best].rows)[:1]
        return self.table.rows[row][query.target.index].text, cells, 1.0


def fitting_rows(table: TypedTable, conditions: Sequence[Condition]) -> list[int]:
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

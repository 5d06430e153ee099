"""Rows that have more or less of something than a named row: "longer than the Fell Bridge"."""

from __future__ import annotations

import re

from factmill.models.answering.tables.question_patterns import IMPLIED, LARGER, SMALLER
from factmill.models.answering.tables.row_conditions import Condition, worth
from factmill.models.answering.tables.table_question import AMBIGUOUS, TableQuestion
from factmill.models.answering.tables.target_column import only_date
from factmill.models.answering.tables.typed_table import Column, ColumnKind
from factmill.models.answering.words.content_words import stem

_EARLIER, _LATER = "older earlier sooner".split(), "younger later newer".split()
_THAN = re.compile(
    r"(?<!\bno )(?<!\bnot )(?<!\bmuch )"
    rf"\b(?P<how>{'|'.join([*LARGER, *SMALLER, *_EARLIER, *_LATER])})"
    r"(?: [\w-]+){0,3}? than(?: the)?\b"
)


def compared_with_row(question: TableQuestion) -> list[Condition]:
    """The condition that a comparison with one named row states; none if there is no such row, or
    no column that it compares."""
    span = question.asked.find(_THAN)
    if span is None:
        return []
    first, last, match = span
    named = [
        one
        for one in question.cells
        if one.first == last and one.column == question.table.key and len(one.rows) == 1
    ]
    column = _column(question, match["how"], first, last)
    if len(named) != 1 or column is None:
        return []
    (other,) = named[0].rows
    values = {n: worth(row[column.index]) for n, row in enumerate(question.table.rows)}
    least = values[other]
    if least is None:
        return []
    is_larger = match["how"] in {*LARGER, *_LATER}
    rows = frozenset(
        n
        for n, value in values.items()
        if value is not None and (value > least if is_larger else value < least)
    )
    question.cells = [one for one in question.cells if one.first != last]
    question.asked.understand(first, named[0].last)
    return [Condition(column, rows, first, named[0].last)]


def _column(question: TableQuestion, how: str, first: int, last: int) -> Column | None:
    """The column of numbers that is named between a comparative and "than", or that the comparative
    means; that of dates for "older"."""
    if how in {*_EARLIER, *_LATER}:
        return only_date(question.table)
    named = [one.column for one in question.columns if first <= one.first < last]
    implied = {stem(word) for word in IMPLIED.get(f"{how[:-2]}est", "").split()}
    named = named or [one for one in question.table.columns if implied.intersection(one.stems)]
    numbers = [one for one in named if one.kind is ColumnKind.NUMBER and not one.is_rank]
    if len(set(numbers)) > 1:
        question.trust *= AMBIGUOUS
    return numbers[0] if numbers else None

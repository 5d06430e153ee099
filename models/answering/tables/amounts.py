"""Questions for amounts: how many rows, a sum, a mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.answering.tables.column_mentions import ColumnMention
from factmill.models.answering.tables.question_patterns import COUNT, MEAN, SUM
from factmill.models.answering.tables.row_conditions import Condition
from factmill.models.answering.tables.table_query import TableOperation, TableQuery
from factmill.models.answering.tables.table_question import AMBIGUOUS, GUESSED, TableQuestion
from factmill.models.answering.tables.target_column import only_date
from factmill.models.answering.tables.typed_table import ColumnKind
from factmill.models.answering.words.content_words import stem

# What is left of trust for a noun that says what the table is about, for one that does not, and for
# one that the rest of the page does not have either.
_NOUN, _OTHER_NOUN, _NO_NOUN = 0.92, 0.82, 0.6
_PRESENT = re.compile(r"\b(?:does|do|has|have|is|are|live|lives)\b(?! (?:won|been|had)\b)")


def mean(
    question: TableQuestion, free: list[ColumnMention], conditions: list[Condition]
) -> TableQuery | None:
    """ "The average attendance"."""
    if not MEAN.search(question.asked.text):
        return None
    order = next((o for o in free if o.column.is_amount), None)
    if order is None or MEAN.search(order.column.name.lower()):
        return None
    question.understand_column(free, order.column)
    question.understand(MEAN)
    return TableQuery(TableOperation.MEAN, order.column, order.column, conditions)


def counted(
    question: TableQuestion, free: list[ColumnMention], conditions: list[Condition]
) -> TableQuery | None:
    """ "How many": matching rows, distinct cells of a column, or the content of a column of
    numbers.
    """
    text = question.asked.text
    span = question.asked.find(COUNT)
    if span and any(o.first < span[1] and span[0] < o.last and o.share == 1.0 for o in free):
        return None
    sums = SUM.search(text)
    compared = {one.column for one in conditions}
    numbers = [o for o in free if o.column.is_amount and o.column not in compared]
    if span is None and not sums:
        return None
    if numbers and (span is None or numbers[0].first >= span[1] - 1):
        near = span is None or numbers[0].first <= span[1] + 2
        if near:
            return _amount(question, numbers, free, conditions, bool(sums))
    if span is None:
        return None
    question.asked.understand(span[0], span[1])
    if (amount := _amount_of_row(question, span[1], conditions)) is not None:
        return amount
    behind = [o for o in free if span[1] <= o.first <= span[1] + 2]
    named = next((o.column for o in behind if o.column.kind is not ColumnKind.NUMBER), None)
    if named is None and free and numbers:
        return None
    if named is None:
        if _is_one_row(question, conditions):
            return None
        _row_noun(question, span[1], conditions)
        return TableQuery(TableOperation.COUNT, question.table.key, None, conditions)
    if named in compared and _is_one_row(question, conditions):
        return None
    if max(o.share for o in behind if o.column == named) < 1.0:
        question.trust *= GUESSED
    question.understand_column(free, named)
    return TableQuery(TableOperation.COUNT, named, named, conditions)


def _amount(
    question: TableQuestion,
    numbers: list[ColumnMention],
    free: list[ColumnMention],
    conditions: list[Condition],
    sums: bool,
) -> TableQuery:
    """ "How many goals": the cell of one row, or the sum of several."""
    column = numbers[0].column
    if sum(o.first == numbers[0].first for o in numbers) > 1:
        question.trust *= AMBIGUOUS
    question.understand_column(free, column)
    question.understand(COUNT)
    question.understand(SUM)
    if not sums and not conditions and _PRESENT.search(question.asked.text):
        conditions = _latest(question)
    rows = set(range(len(question.table.rows))).intersection(*(one.rows for one in conditions))
    if len(rows) > 1 and not sums:
        question.trust *= GUESSED
    return TableQuery(
        TableOperation.SUM if len(rows) > 1 else TableOperation.LOOKUP, column, column, conditions
    )


def _amount_of_row(
    question: TableQuestion, position: int, conditions: list[Condition]
) -> TableQuery | None:
    """ "How many boats rowed in 2021?": the cell of that row below "Boats taking part", although
    another column is named "Boat".
    """
    naming = {question.table.key, only_date(question.table)}
    is_named = any(one.column in naming and len(one.rows) == 1 for one in conditions)
    if not is_named or position >= len(question.asked.words):
        return None
    noun = stem(question.asked.words[position])
    compared = {one.column for one in conditions}
    fitting = [
        one
        for one in question.table.columns
        if one.is_amount and one not in compared and noun in one.stems
    ]
    if len(fitting) != 1:
        return None
    question.asked.understand(position, position + 1)
    return TableQuery(TableOperation.LOOKUP, fitting[0], fitting[0], conditions)


def _latest(question: TableQuestion) -> list[Condition]:
    """The row of the latest date, where each row has another: "How many people live there?"."""
    column = only_date(question.table)
    dates = [row[column.index].value.date for row in question.table.rows] if column else []
    known = [one for one in dates if one is not None]
    if column is None or len(set(known)) < len(dates):
        return []
    return [Condition(column, frozenset({dates.index(max(known))}), 0, 0)]


def _is_one_row(question: TableQuestion, conditions: Sequence[Condition]) -> bool:
    """Whether the conditions name a single row by its key. "How many arches has the Fell Bridge?"
    does not count the rows of that bridge.
    """
    return any(one.column == question.table.key and len(one.rows) == 1 for one in conditions)


def _row_noun(question: TableQuestion, position: int, conditions: Sequence[Condition]) -> None:
    """ "How many games ...": a noun for the rows, if it is one."""
    if position in question.asked.not_understood:
        question.asked.understand(position, position + 1)
        noun = stem(question.asked.words[position])
        absent = _NO_NOUN if question.near and noun not in question.near else _OTHER_NOUN
        question.trust *= (_NOUN if noun in question.about else absent) if conditions else AMBIGUOUS

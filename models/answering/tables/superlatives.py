"""Questions for the most and the least: by which column, and what is asked about its row."""

from __future__ import annotations

import re

from factmill.models.answering.tables.column_mentions import ColumnMention
from factmill.models.answering.tables.question_patterns import (
    FREQUENT,
    IMPLIED,
    LEAST,
    MOST,
    TIME_WORDS,
)
from factmill.models.answering.tables.row_conditions import Condition
from factmill.models.answering.tables.table_query import TableOperation, TableQuery
from factmill.models.answering.tables.table_question import (
    AMBIGUOUS,
    GUESSED,
    NAME_OF_ROW,
    TableQuestion,
)
from factmill.models.answering.tables.target_column import names_the_rows, only_date, target_column
from factmill.models.answering.tables.typed_table import Column, ColumnKind

_ASKS_FOR_VALUE = re.compile(r"(?:what|how (?:many|much)|at what|the) ")
_ASKS_FOR_ROW = re.compile(r"what \w+ (?:has|had|have|is|was|won|scored|received|holds?)\b")
# "What is the tallest light?", of a table with heights.
_ASKS_FOR_BEST = re.compile(r"what(?:['’]s| is| was) the \w+est\b")
# Superlatives of what a table counts from year to year: "the most little terns", of pairs.
_COUNTING = frozenset({"most", "fewest", "best", "worst"})
_BY_SPEED = frozenset({"fastest", "quickest", "slowest"})
_TIME = re.compile(r"\b(?:times?|duration|laps?|minutes|seconds|hours)\b", re.IGNORECASE)


def superlative(
    question: TableQuestion, free: list[ColumnMention], conditions: list[Condition]
) -> TableQuery | None:
    """ "The highest", "the fewest"; None if the question has neither."""
    for pattern, operation in ((LEAST, TableOperation.LEAST), (MOST, TableOperation.MOST)):
        span = question.asked.find(pattern)
        if span is None:
            continue
        first, last, match = span
        word = match.group().split()[-1]
        order, operation = _order(question, free, last, word, operation)
        if order is None:
            return _most_frequent(question, free, conditions) if word == "most" else None
        question.asked.understand(first, last)
        if word in _BY_SPEED and _TIME.search(order.name):
            operation = _reverse(operation)  # the fastest takes the least time
        if order.is_rank and not TIME_WORDS.search(question.asked.text):
            operation = _reverse(operation)
            question.trust *= GUESSED
        return TableQuery(operation, _target(question, free, order), order, conditions)
    return None


def _order(
    question: TableQuestion,
    free: list[ColumnMention],
    last: int,
    word: str,
    operation: TableOperation,
) -> tuple[Column | None, TableOperation]:
    """The column by which rows are compared, which is named behind the superlative or implied by
    it, and the direction in which its values are."""
    behind = [
        o for o in free if last <= o.first <= last + 4 and o.column.kind is not ColumnKind.TEXT
    ]
    if not behind:
        return _implied(question, word, operation, free)
    if sum(o.first == behind[0].first for o in behind) > 1:
        question.trust *= AMBIGUOUS
    question.understand_column(free, behind[0].column)
    return behind[0].column, operation


def _target(question: TableQuestion, free: list[ColumnMention], order: Column) -> Column:
    """The column that is asked for: the one compared, another one, or the name of the row."""
    if _asks_for_value_of(question, free, order):
        question.understand_column(free, order)
        return order
    target = target_column(question, free, order)
    if target is not None:
        return target
    text = question.asked.text
    if _ASKS_FOR_BEST.match(text) and not _names(free, order):
        question.trust *= NAME_OF_ROW
        return question.table.key
    if _ASKS_FOR_VALUE.match(text) and not _ASKS_FOR_ROW.match(text):
        return order
    question.trust *= NAME_OF_ROW
    return question.table.key


def _asks_for_value_of(question: TableQuestion, free: list[ColumnMention], order: Column) -> bool:
    """Whether "what" or "how" stands right before words that name this column only: "what speed can
    the fastest do?".
    """
    return any(
        one.column == order
        and one.first > 0
        and question.asked.words[one.first - 1] in {"what", "how"}
        and not names_the_rows(question, one)
        and not any(other.first == one.first and other.column != order for other in free)
        for one in free
    )


def _names(free: list[ColumnMention], column: Column) -> bool:
    return any(one.column == column for one in free)


def _reverse(operation: TableOperation) -> TableOperation:
    return TableOperation.LEAST if operation is TableOperation.MOST else TableOperation.MOST


def _implied(
    question: TableQuestion, word: str, operation: TableOperation, free: list[ColumnMention]
) -> tuple[Column | None, TableOperation]:
    """The column behind a superlative without a noun, and the direction: "oldest" is the greatest
    age, or the earliest date.
    """
    wanted = IMPLIED.get(word, "").split()
    for column in question.table.columns:
        if column.kind is ColumnKind.NUMBER and set(wanted) & set(column.name.lower().split()):
            by_age = word == "oldest"
            return column, TableOperation.MOST if by_age else operation
    if word in {"earliest", "latest", "newest", "oldest", "youngest", "most"}:
        dated = (
            only_date(question.table) if "recent" in question.asked.text or word != "most" else None
        )
        if dated is not None:
            question.understand(re.compile(r"\brecent(?:ly)?\b"))
            newest = word in {"latest", "newest", "youngest", "most"}
            return dated, TableOperation.MOST if newest else TableOperation.LEAST
    if question.table.year is not None and word in _COUNTING:
        amounts = [column for column in question.table.columns if column.is_amount]
        if len(amounts) == 1:
            question.trust *= GUESSED
            return amounts[0], operation
    before = [o for o in free if o.column.kind is ColumnKind.NUMBER]
    if len(before) == 1 and word != "top":
        question.asked.understand(before[0].first, before[0].last)
        return before[0].column, operation
    return None, operation


def _most_frequent(
    question: TableQuestion, free: list[ColumnMention], conditions: list[Condition]
) -> TableQuery | None:
    """ "Which nation appears the most?": the commonest cell of a column."""
    texts = [one.column for one in free if one.column.kind is ColumnKind.TEXT]
    if len(texts) != 1 or not FREQUENT.search(question.asked.text):
        return None
    question.understand_column(free, texts[0])
    question.understand(MOST)
    question.understand(re.compile(r"\boften\b"))
    return TableQuery(TableOperation.MOST, texts[0], None, conditions)

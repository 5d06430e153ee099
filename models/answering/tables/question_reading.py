"""A question read against a table: what it asks, and how far that is understood.

    question -> cells and columns that it names -> conditions -> the first rule that fits -> query

Words that nothing was made of lower the trust.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.answering.tables.amounts import counted, mean
from factmill.models.answering.tables.question_patterns import (
    AFTER,
    BEFORE,
    COUNT,
    DIFFERENCE,
    EITHER,
    LESS,
    LIGHT,
    LISTED,
    MORE,
    NTH,
    WHEN,
    nth_of,
)
from factmill.models.answering.tables.row_conditions import (
    GUESSED,
    Condition,
    ReadQuestion,
    compared_options,
    compared_rows,
    named_rows,
    outcome_rows,
)
from factmill.models.answering.tables.superlatives import superlative
from factmill.models.answering.tables.table_query import TableOperation, TableQuery
from factmill.models.answering.tables.table_words import ColumnMention, QuestionWords
from factmill.models.answering.tables.target_column import only_date, target_column
from factmill.models.answering.tables.typed_table import ColumnKind, TypedTable
from factmill.models.answering.words.content_words import stem

# How much is left of trust for the order of rows, and where the row's name is taken for what is
# asked.
_ROW_ORDER, _NAME_OF_ROW = 0.85, 0.95
# What a share of words that are not understood costs.
_UNREAD, _UNREAD_OF_CELL = 1.6, 0.9


def query_of(question: str, table: TypedTable, about: Sequence[str] = ()) -> TableQuery | None:
    """What a question asks, None for what is not understood. `about` are the stems of what the page
    and the table are about."""
    read = ReadQuestion(QuestionWords.of(question), table)
    query = _query(read)
    if query is not None:
        cost = _UNREAD_OF_CELL if query.operation is TableOperation.LOOKUP else _UNREAD
        query.trust = read.trust * _understood(read, set(about), cost)
    return query


def _query(read: ReadQuestion) -> TableQuery | None:
    conditions = compared_rows(read)
    options = compared_options(read)
    if not options:
        conditions += [*named_rows(read), *outcome_rows(read)]
    free = [one for one in read.columns if not _used(read, one, conditions)]
    if options:
        return _of_two(read, free, options)
    for rule in (_neighbour, superlative, mean, counted, _nth):
        if (query := rule(read, free, conditions)) is not None:
            return query
    return _looked_up(read, free, conditions)


def _of_two(
    read: ReadQuestion, free: list[ColumnMention], options: tuple[Condition, ...]
) -> TableQuery | None:
    text = read.asked.text
    said = read.asked.find(DIFFERENCE)
    order = next(
        (
            o.column for o in free
            if o.column.kind is not ColumnKind.TEXT
            and not (said and said[0] <= o.first < said[1] and len(free) > 1)
        ),
        None,
    )  # fmt: skip
    if order is not None:
        read.understand_column(free, order)
    read.understand_column(free, options[0].column)
    if DIFFERENCE.search(text) and not EITHER.search(text):
        if order is None:
            return None
        read.understand(DIFFERENCE)
        return TableQuery(TableOperation.DIFFERENCE, options[0].column, order, options=options)
    most, least = MORE.search(text), LESS.search(text)
    if bool(most) == bool(least):
        return None
    if order is None:
        order = only_date(read.table)
        if order is None:
            return None
    dated = order.kind is ColumnKind.DATE
    if re.search(r"\bolder\b", text) and not dated:
        most, least = least, most
    read.understand(MORE if most else LESS)
    operation = TableOperation.MOST if most else TableOperation.LEAST
    return TableQuery(operation, options[0].column, order, options=options)


def _neighbour(
    read: ReadQuestion, free: list[ColumnMention], conditions: list[Condition]
) -> TableQuery | None:
    for pattern, operation in ((AFTER, TableOperation.AFTER), (BEFORE, TableOperation.BEFORE)):
        span = read.asked.find(pattern)
        if span is None or COUNT.search(read.asked.text):
            continue
        named = [one for one in conditions if 0 <= one.first - span[1] <= 4]
        if len(named) == 1 and len(named[0].rows) == 1:
            read.asked.read(span[0], span[1])
            target = target_column(read, free, None) or named[0].column
            return TableQuery(operation, target, None, conditions)
    return None


def _nth(
    read: ReadQuestion, free: list[ColumnMention], conditions: list[Condition]
) -> TableQuery | None:
    span = read.asked.find(NTH)
    if span is None:
        return None
    first, last, match = span
    nth = nth_of(match.group())
    if any(one.first == first for one in free):
        return None
    listed = LISTED.search(read.asked.text)
    dated = None if listed else only_date(read.table)
    if abs(nth) != 1 and dated is None and not listed:
        read.trust *= GUESSED
    read.asked.read(first, last)
    read.understand(re.compile(r"\b(?:top|bottom)\b"))
    target = target_column(read, free, dated) or (dated if WHEN.search(read.asked.text) else None)
    if target is None:
        target, read.trust = read.table.key, read.trust * _NAME_OF_ROW
    if dated is None:
        read.trust *= 1.0 if listed else _ROW_ORDER
    return TableQuery(TableOperation.NTH, target, dated, conditions, nth)


def _looked_up(
    read: ReadQuestion, free: list[ColumnMention], conditions: list[Condition]
) -> TableQuery | None:
    target = target_column(read, free, None)
    if not conditions or target is None or any(one.column == target for one in conditions):
        return None
    return TableQuery(TableOperation.LOOKUP, target, None, conditions)


def _understood(read: ReadQuestion, about: set[str], cost: float) -> float:
    """The share of the words with a meaning that were used, or say what the page is about."""
    words = read.asked.words
    meant = [n for n, word in enumerate(words) if word not in LIGHT]
    unread = [n for n in meant if n in read.asked.unread and stem(words[n]) not in about]
    content = [n for n in meant if n not in read.asked.unread or n in unread]
    return max(0.0, 1.0 - cost * len(unread) / max(4, len(content)))


def _used(read: ReadQuestion, mention: ColumnMention, conditions: Sequence[Condition]) -> bool:
    """Whether a column's name only introduces its cell: "the city of Paris"."""
    for one in conditions:
        near = one.column == mention.column and -3 <= mention.first - one.last <= 3
        if near and (mention.first not in range(1, 3) or mention.last == one.first):
            read.asked.read(mention.first, mention.last)
            return True
    return False

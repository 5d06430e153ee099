"""Parses a question into a query of one table.

    question -> cells and columns that it names -> conditions -> the first matching rule -> query

Words without an interpretation lower the trust (`query_trust`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from factmill.models.answering.tables.amounts import counted, mean
from factmill.models.answering.tables.column_mentions import ColumnMention
from factmill.models.answering.tables.compared_with_row import compared_with_row
from factmill.models.answering.tables.denied_rows import denied_rows, denies_something
from factmill.models.answering.tables.query_trust import trust_in
from factmill.models.answering.tables.question_patterns import (
    AFTER,
    BEFORE,
    BY_PLACE,
    COUNT,
    DIFFERENCE,
    EITHER,
    LESS,
    LISTED,
    MORE,
    NTH,
    PLACED,
    WHEN,
    nth_of,
)
from factmill.models.answering.tables.question_words import QuestionWords
from factmill.models.answering.tables.row_conditions import (
    Condition,
    compared_options,
    compared_rows,
    named_rows,
    outcome_rows,
)
from factmill.models.answering.tables.superlatives import superlative
from factmill.models.answering.tables.table_query import TableOperation, TableQuery
from factmill.models.answering.tables.table_question import GUESSED, NAME_OF_ROW, TableQuestion
from factmill.models.answering.tables.target_column import only_date, target_column
from factmill.models.answering.tables.typed_table import Column, ColumnKind, TypedTable
from factmill.models.answering.words.asked_for import AskedFor

# How much is left of trust for the order of rows, and where the row's name is taken for what is
# asked, although only the rest of the page is about that.
_ROW_ORDER, _NAME_OF_OTHER_ROW = 0.8, 0.85
_OPPOSITE = {
    TableOperation.AFTER: TableOperation.BEFORE,
    TableOperation.BEFORE: TableOperation.AFTER,
}
# What compares.
_COMPARED = re.compile(r"\b(?:more|less|fewer|(?!other|rather)\w{3,}er)\b.*\bthan\b")
# The higher position is the smaller number; of ranks people say both.
_PLACE = re.compile(r"\b(?:position|place)\b")


def query_of(
    asked: AskedFor, table: TypedTable, about: frozenset[str], near: frozenset[str]
) -> TableQuery | None:
    """What a question asks, None for what is not understood. `about` are the stems of what the page
    and the table are about, `near` those of the rest of its page."""
    question = TableQuestion(QuestionWords.of(asked.text), table, about, near)
    query = _query(question, asked)
    if query is not None:
        query.trust = trust_in(query, question, asked)
    return query


def _query(question: TableQuestion, asked: AskedFor) -> TableQuery | None:
    conditions = compared_rows(question) + compared_with_row(question)
    options = compared_options(question)
    if not options:
        conditions += [*named_rows(question), *outcome_rows(question), *_placed(question)]
    if denies_something(asked.text):
        denied = denied_rows(question)
        if not denied:
            return None
        conditions += denied
    free = [one for one in question.columns if not _used(question, one, conditions)]
    if options:
        return _of_two(question, free, options)
    # Values of keys are of different things: they have no order and no sum.
    rules = () if question.table.is_keyed else (_neighbour, superlative, mean, counted, _nth)
    for rule in rules:
        if (query := rule(question, free, conditions)) is not None:
            return query
    if _compares_otherwise(question, conditions):
        return None
    return _looked_up(question, asked, free, conditions)


def _compares_otherwise(question: TableQuestion, conditions: Sequence[Condition]) -> bool:
    """Whether a comparison is not a condition: "fewer pairs than the year before"."""
    if not _COMPARED.search(question.asked.text):
        return False
    than = question.asked.words.index("than")
    return not any(one.first <= than < one.last for one in conditions)


def _of_two(
    question: TableQuestion, free: list[ColumnMention], options: tuple[Condition, ...]
) -> TableQuery | None:
    text = question.asked.text
    said = question.asked.find(DIFFERENCE)
    order = next(
        (
            o.column for o in free
            if o.column.kind is not ColumnKind.TEXT
            and not (said and said[0] <= o.first < said[1] and len(free) > 1)
        ),
        None,
    )  # fmt: skip
    if order is not None:
        question.understand_column(free, order)
    question.understand_column(free, options[0].column)
    if DIFFERENCE.search(text) and not EITHER.search(text):
        if order is None:
            return None
        question.understand(DIFFERENCE)
        return TableQuery(TableOperation.DIFFERENCE, options[0].column, order, options=options)
    most, least = MORE.search(text), LESS.search(text)
    if bool(most) == bool(least):
        return None
    if order is None:
        order = only_date(question.table)
        if order is None:
            return None
    dated = order.kind is ColumnKind.DATE
    if re.search(r"\bolder\b", text) and not dated:
        most, least = least, most
    question.understand(MORE if most else LESS)
    if order.is_rank and _PLACE.search(text):
        most, least = least, most
    operation = TableOperation.MOST if most else TableOperation.LEAST
    return TableQuery(operation, options[0].column, order, options=options)


def _neighbour(
    question: TableQuestion, free: list[ColumnMention], conditions: list[Condition]
) -> TableQuery | None:
    for pattern, operation in ((AFTER, TableOperation.AFTER), (BEFORE, TableOperation.BEFORE)):
        span = question.asked.find(pattern)
        if span is None or COUNT.search(question.asked.text):
            continue
        named = [one for one in conditions if 0 <= one.first - span[1] <= 4]
        if len(named) == 1 and len(named[0].rows) == 1:
            question.asked.understand(span[0], span[1])
            target = target_column(question, free, None) or named[0].column
            if not BY_PLACE.search(span[2].group()) and _is_latest_first(question):
                operation = _OPPOSITE[operation]
            return TableQuery(operation, target, None, conditions)
    return None


def _is_latest_first(question: TableQuestion) -> bool:
    """Whether the dates of a table descend: what is after is above."""
    column = only_date(question.table)
    dates = [row[column.index].value.date for row in question.table.rows] if column else []
    known = [one for one in dates if one is not None]
    return 1 < len(known) == len(dates) and all(
        one > other for one, other in itertools.pairwise(known)
    )


def _nth(
    question: TableQuestion, free: list[ColumnMention], conditions: list[Condition]
) -> TableQuery | None:
    span = question.asked.find(NTH)
    if span is None:
        return None
    first, last, match = span
    nth = nth_of(match.group())
    if any(one.first == first for one in free):
        return None
    listed = LISTED.search(question.asked.text)
    dated = None if listed else only_date(question.table)
    ranked = [] if dated is not None else _ranked(question, first, last, nth)
    if ranked or any(one.column.is_rank for one in conditions):
        return _of_rank(question, free, [*conditions, *ranked])
    if abs(nth) != 1 and dated is None and not listed:
        question.trust *= GUESSED
    question.asked.understand(first, last)
    question.understand(re.compile(r"\b(?:top|bottom)\b"))
    target = target_column(question, free, dated) or (
        dated if WHEN.search(question.asked.text) else None
    )
    if target is None:
        target, question.trust = question.table.key, question.trust * NAME_OF_ROW
    if dated is None:
        question.trust *= 1.0 if listed else _ROW_ORDER
    return TableQuery(TableOperation.NTH, target, dated, conditions, nth)


def _placed(question: TableQuestion) -> list[Condition]:
    """The rows of a rank that somebody has: "the club that came third", "in second place"."""
    span = question.asked.find(PLACED)
    nth = None if span is None else NTH.search(span[2].group())
    if span is None or nth is None:
        return []
    return _ranked(question, span[0], span[1], nth_of(nth.group()))


def _ranked(question: TableQuestion, first: int, last: int, nth: int) -> list[Condition]:
    """The rows of a rank, if one column has ranks."""
    ranks = [one for one in question.table.columns if one.is_rank and one.kind is ColumnKind.NUMBER]
    if len(ranks) != 1 or not ranks[0].name.strip():
        return []
    cells = [row[ranks[0].index] for row in question.table.rows]
    rows = frozenset(n for n, cell in enumerate(cells) if cell.value.number == nth)
    if not rows:
        return []
    question.asked.understand(first, last)
    return [Condition(ranks[0], rows, first, last)]


def _of_rank(
    question: TableQuestion, free: list[ColumnMention], conditions: list[Condition]
) -> TableQuery:
    """The requested cells of the rows of a rank, or their names if no column is requested."""
    ranks = {one.column for one in conditions if one.column.is_rank}
    target = target_column(question, [one for one in free if one.column not in ranks], None)
    if target is None:
        target, question.trust = question.table.key, question.trust * NAME_OF_ROW
    return TableQuery(TableOperation.LOOKUP, target, None, conditions)


def _looked_up(
    question: TableQuestion, asked: AskedFor, free: list[ColumnMention], conditions: list[Condition]
) -> TableQuery | None:
    """The cells of the requested column in the requested rows; in all rows if all are requested."""
    decided = {one.column for one in conditions}
    undecided = [one for one in free if one.column not in decided]
    named = target_column(question, undecided or free, None)
    if named in decided and not question.table.is_keyed:
        named = None  # "20 nautical miles" of range compares, and asks for no range
    target = named or _unnamed_target(question, asked)
    if target is None or target in decided:
        return None
    if not conditions and not (asked.wants_all and (named or target == question.table.key)):
        return None
    return TableQuery(TableOperation.LOOKUP, target, None, conditions, wants_all=asked.wants_all)


def _unnamed_target(question: TableQuestion, asked: AskedFor) -> Column | None:
    """The value of a key; or the names of the rows, if the table is about what is asked."""
    if question.table.is_keyed:
        return question.table.columns[1]
    # Names alone do not say that a table is about what is asked: "Which Fell towns?"
    noun = set(asked.focus[:3]) - asked.names or set(asked.focus[:3])
    if noun & question.about:
        question.trust *= NAME_OF_ROW
        question.understand_stems(frozenset(asked.focus[:3]) & question.about)
        return question.table.key
    if set(asked.focus[:1]) & question.near and any(one.whole for one in question.cells):
        question.trust *= _NAME_OF_OTHER_ROW
        question.understand_stems(frozenset(asked.focus[:1]))
        return question.table.key
    return None


def _used(question: TableQuestion, mention: ColumnMention, conditions: Sequence[Condition]) -> bool:
    """Whether a column's name only introduces its cell: "the city of Paris"."""
    for one in conditions:
        near = one.column == mention.column and -3 <= mention.first - one.last <= 3
        if near and (mention.first not in range(1, 3) or mention.last == one.first):
            question.asked.understand(mention.first, mention.last)
            return True
    return False

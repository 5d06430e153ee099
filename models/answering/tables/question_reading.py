"""Interprets a question against a table.

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
from factmill.models.answering.tables.question_mentions import GUESSED, NAME_OF_ROW, ReadQuestion
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
    read = ReadQuestion(QuestionWords.of(asked.text), table, about, near)
    query = _query(read, asked)
    if query is not None:
        query.trust = trust_in(query, read, asked)
    return query


def _query(read: ReadQuestion, asked: AskedFor) -> TableQuery | None:
    conditions = compared_rows(read) + compared_with_row(read)
    options = compared_options(read)
    if not options:
        conditions += [*named_rows(read), *outcome_rows(read), *_placed(read)]
    if denies_something(asked.text):
        denied = denied_rows(read)
        if not denied:
            return None
        conditions += denied
    free = [one for one in read.columns if not _used(read, one, conditions)]
    if options:
        return _of_two(read, free, options)
    # Values of keys are of different things: they have no order and no sum.
    rules = () if read.table.is_keyed else (_neighbour, superlative, mean, counted, _nth)
    for rule in rules:
        if (query := rule(read, free, conditions)) is not None:
            return query
    if _compares_otherwise(read, conditions):
        return None
    return _looked_up(read, asked, free, conditions)


def _compares_otherwise(read: ReadQuestion, conditions: Sequence[Condition]) -> bool:
    """Whether a comparison is not a condition: "fewer pairs than the year before"."""
    if not _COMPARED.search(read.asked.text):
        return False
    than = read.asked.words.index("than")
    return not any(one.first <= than < one.last for one in conditions)


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
    if order.is_rank and _PLACE.search(text):
        most, least = least, most
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
            if not BY_PLACE.search(span[2].group()) and _is_latest_first(read):
                operation = _OPPOSITE[operation]
            return TableQuery(operation, target, None, conditions)
    return None


def _is_latest_first(read: ReadQuestion) -> bool:
    """Whether the dates of a table descend: what is after is above."""
    column = only_date(read.table)
    dates = [row[column.index].value.date for row in read.table.rows] if column else []
    known = [one for one in dates if one is not None]
    return 1 < len(known) == len(dates) and all(
        one > other for one, other in itertools.pairwise(known)
    )


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
    ranked = [] if dated is not None else _ranked(read, first, last, nth)
    if ranked or any(one.column.is_rank for one in conditions):
        return _of_rank(read, free, [*conditions, *ranked])
    if abs(nth) != 1 and dated is None and not listed:
        read.trust *= GUESSED
    read.asked.read(first, last)
    read.understand(re.compile(r"\b(?:top|bottom)\b"))
    target = target_column(read, free, dated) or (dated if WHEN.search(read.asked.text) else None)
    if target is None:
        target, read.trust = read.table.key, read.trust * NAME_OF_ROW
    if dated is None:
        read.trust *= 1.0 if listed else _ROW_ORDER
    return TableQuery(TableOperation.NTH, target, dated, conditions, nth)


def _placed(read: ReadQuestion) -> list[Condition]:
    """The rows of a rank that somebody has: "the club that came third", "in second place"."""
    span = read.asked.find(PLACED)
    nth = None if span is None else NTH.search(span[2].group())
    if span is None or nth is None:
        return []
    return _ranked(read, span[0], span[1], nth_of(nth.group()))


def _ranked(read: ReadQuestion, first: int, last: int, nth: int) -> list[Condition]:
    """The rows of a rank, if one column has ranks."""
    ranks = [one for one in read.table.columns if one.is_rank and one.kind is ColumnKind.NUMBER]
    if len(ranks) != 1 or not ranks[0].name.strip():
        return []
    cells = [row[ranks[0].index] for row in read.table.rows]
    rows = frozenset(n for n, cell in enumerate(cells) if cell.value.number == nth)
    if not rows:
        return []
    read.asked.read(first, last)
    return [Condition(ranks[0], rows, first, last)]


def _of_rank(
    read: ReadQuestion, free: list[ColumnMention], conditions: list[Condition]
) -> TableQuery:
    """The requested cells of the rows of a rank, or their names if no column is requested."""
    ranks = {one.column for one in conditions if one.column.is_rank}
    target = target_column(read, [one for one in free if one.column not in ranks], None)
    if target is None:
        target, read.trust = read.table.key, read.trust * NAME_OF_ROW
    return TableQuery(TableOperation.LOOKUP, target, None, conditions)


def _looked_up(
    read: ReadQuestion, asked: AskedFor, free: list[ColumnMention], conditions: list[Condition]
) -> TableQuery | None:
    """The cells of the requested column in the requested rows; in all rows if all are requested."""
    decided = {one.column for one in conditions}
    undecided = [one for one in free if one.column not in decided]
    named = target_column(read, undecided or free, None)
    if named in decided and not read.table.is_keyed:
        named = None  # "20 nautical miles" of range compares, and asks for no range
    target = named or _unnamed_target(read, asked)
    if target is None or target in decided:
        return None
    if not conditions and not (asked.wants_all and (named or target == read.table.key)):
        return None
    return TableQuery(TableOperation.LOOKUP, target, None, conditions, wants_all=asked.wants_all)


def _unnamed_target(read: ReadQuestion, asked: AskedFor) -> Column | None:
    """The value of a key; or the names of the rows, if the table is about what is asked."""
    if read.table.is_keyed:
        return read.table.columns[1]
    # Names alone do not say that a table is about what is asked: "Which Fell towns?"
    noun = set(asked.focus[:3]) - asked.names or set(asked.focus[:3])
    if noun & read.about:
        read.trust *= NAME_OF_ROW
        read.understand_stems(frozenset(asked.focus[:3]) & read.about)
        return read.table.key
    if set(asked.focus[:1]) & read.near and any(one.whole for one in read.cells):
        read.trust *= _NAME_OF_OTHER_ROW
        read.understand_stems(frozenset(asked.focus[:1]))
        return read.table.key
    return None


def _used(read: ReadQuestion, mention: ColumnMention, conditions: Sequence[Condition]) -> bool:
    """Whether a column's name only introduces its cell: "the city of Paris"."""
    for one in conditions:
        near = one.column == mention.column and -3 <= mention.first - one.last <= 3
        if near and (mention.first not in range(1, 3) or mention.last == one.first):
            read.asked.read(mention.first, mention.last)
            return True
    return False

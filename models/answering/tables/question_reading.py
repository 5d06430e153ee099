"""Interprets a question against a table, and estimates how far it was understood.

    question -> cells and columns that it names -> conditions -> the first matching rule -> query

Words without an interpretation lower the trust.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from factmill.models.answering.tables.amounts import counted, mean
from factmill.models.answering.tables.column_events import KINDS_OF_EVENTS, trust_left
from factmill.models.answering.tables.column_mentions import ColumnMention
from factmill.models.answering.tables.compared_with_row import compared_with_row
from factmill.models.answering.tables.denied_rows import denied_rows, denies_something
from factmill.models.answering.tables.question_patterns import (
    AFTER,
    BEFORE,
    BY_PLACE,
    COUNT,
    DIFFERENCE,
    EITHER,
    LESS,
    LIGHT,
    LISTED,
    MORE,
    NTH,
    PLACED,
    WHEN,
    nth_of,
)
from factmill.models.answering.tables.question_words import QuestionWords
from factmill.models.answering.tables.row_conditions import (
    GUESSED,
    NAME_OF_ROW,
    Condition,
    ReadQuestion,
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
from factmill.models.answering.words.content_words import content_stems, stem
from factmill.models.answering.words.events import (
    KNOWN,
    asked_events,
    events_of,
    events_of_stems,
)

# How much is left of trust for the order of rows, and where the row's name is taken for what is
# asked, although only the rest of the page is about that.
_ROW_ORDER, _NAME_OF_OTHER_ROW = 0.8, 0.85
_OPPOSITE = {
    TableOperation.AFTER: TableOperation.BEFORE,
    TableOperation.BEFORE: TableOperation.AFTER,
}
# The penalty for the share of words not understood.
_UNREAD, _UNREAD_OF_CELL = 1.6, 0.9
# How much of such a word is forgiven that stands elsewhere on the page; what is left of trust for
# each name that does, and for each that does not.
_NEAR, _NAME_NEAR, _NAME_ABSENT = 0.5, 0.9, 0.35
# How many rows are looked at for what is said of an event.
_MAX_ROWS_AROUND = 5
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
        if not query.target.name.strip() and not table.is_keyed:
            read.trust *= GUESSED
        cost = _UNREAD_OF_CELL if query.operation is TableOperation.LOOKUP else _UNREAD
        # The table alone is a request for a whole column.
        near = near if query.conditions or query.options else frozenset()
        left = _of_event(read, asked, query)
        query.trust = left * read.trust * _understood(read, near, cost)
    return query


def _of_event(read: ReadQuestion, asked: AskedFor, query: TableQuery) -> float:
    """What is left of trust where a column states another event than the question asks for; words
    that state its own event are understood."""
    events = asked_events(asked.text)
    if not events:
        return 1.0
    used = [*(one.column for one in (*query.conditions, *query.options)), query.order]
    columns = {one for one in used if one is not None and one.kind is ColumnKind.DATE}
    if not events <= KNOWN:
        columns = set()  # verbs that no list has are seldom what a condition is about
    if asked.kind in KINDS_OF_EVENTS:
        columns.add(query.target)
    rows = sorted(frozenset[int]().union(*(one.rows for one in query.conditions)))

    def around() -> Iterator[str]:
        yield from itertools.chain.from_iterable(one.stems for one in read.table.columns)
        for row in rows[:_MAX_ROWS_AROUND]:
            for cell in read.table.rows[row]:
                yield from content_stems(cell.text)

    left = 1.0
    for column in columns:
        name = _name_of(read, column, rows)
        stated = events_of(name.lower()) or events_of_stems(read.about)
        for n in [n for n in read.asked.unread if events_of(read.asked.words[n]) & stated]:
            read.asked.read(n, n + 1)
        left = min(left, trust_left(asked, name, read.about, around))
    return left


def _name_of(read: ReadQuestion, column: Column, rows: Sequence[int]) -> str:
    """What a column is called; the keys of the rows in a table of keys and values."""
    if not read.table.is_keyed:
        return column.name
    return " ".join(read.table.rows[n][0].text for n in rows)


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


def _understood(read: ReadQuestion, near: frozenset[str], cost: float) -> float:
    """The share of content words that were used, or that the page is about. Words found elsewhere
    on the page count half, and a name found nowhere nearly rules the table out.
    """
    words = read.asked.words
    meant = [n for n, word in enumerate(words) if word not in LIGHT or _is_name(read, n)]
    unread = [n for n in meant if n in read.asked.unread and stem(words[n]) not in read.about]
    content = [n for n in meant if n not in read.asked.unread or n in unread]
    elsewhere = [n for n in unread if stem(words[n]) in near and not words[n].isdigit()]
    names = [n for n in unread if n not in elsewhere and _is_name(read, n)]
    names_near = [n for n in elsewhere if _is_name(read, n)]
    missing = len(unread) - len(names) - _NEAR * len(elsewhere)
    share = 1.0 - cost * missing / max(4, len(content))
    near_names = [n for n in names_near if n - 1 not in names_near]  # the first words of names
    trust = _NAME_NEAR ** len(near_names) * _NAME_ABSENT ** len(names)
    return float(max(0.0, share) * trust)


def _is_name(read: ReadQuestion, n: int) -> bool:
    """Whether a word has a capital or a digit, and is not the first word."""
    spelled = read.asked.spelled[n]
    return n > 0 and (spelled[0].isupper() or spelled[0].isdigit())


def _used(read: ReadQuestion, mention: ColumnMention, conditions: Sequence[Condition]) -> bool:
    """Whether a column's name only introduces its cell: "the city of Paris"."""
    for one in conditions:
        near = one.column == mention.column and -3 <= mention.first - one.last <= 3
        if near and (mention.first not in range(1, 3) or mention.last == one.first):
            read.asked.read(mention.first, mention.last)
            return True
    return False

"""How far a query is what the question asks of its table, from 0 to 1.

Guesses made on the way lower it, and so do words of the question that nothing was made of, and a
column that states another event than the question.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from factmill.models.answering.tables.column_events import KINDS_OF_EVENTS, trust_left
from factmill.models.answering.tables.question_patterns import LIGHT
from factmill.models.answering.tables.table_query import TableOperation, TableQuery
from factmill.models.answering.tables.table_question import GUESSED, TableQuestion
from factmill.models.answering.tables.typed_table import Column, ColumnKind
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import content_stems, stem
from factmill.models.answering.words.events import (
    KNOWN,
    asked_events,
    events_of,
    events_of_stems,
)

# The penalty for the share of words not understood.
_NOT_UNDERSTOOD, _NOT_UNDERSTOOD_OF_CELL = 1.6, 0.9
# How much of such a word is forgiven that stands elsewhere on the page; what is left of trust for
# each name that does, and for each that does not.
_NEAR, _NAME_NEAR, _NAME_ABSENT = 0.5, 0.9, 0.35
# How many rows are looked at for what is said of an event.
_MAX_ROWS_AROUND = 5


def trust_in(query: TableQuery, question: TableQuestion, asked: AskedFor) -> float:
    """The trust in a query; the words that it accounts for are marked as understood."""
    if not query.target.name.strip() and not question.table.is_keyed:
        question.trust *= GUESSED
    is_column = not query.conditions and not query.options
    is_cell = query.operation is TableOperation.LOOKUP and not is_column
    cost = _NOT_UNDERSTOOD_OF_CELL if is_cell else _NOT_UNDERSTOOD
    # The table alone is a request for a whole column.
    near = question.near if not is_column else frozenset[str]()
    left = _of_event(question, asked, query)
    return left * question.trust * _understood(question, near, cost)


def _of_event(question: TableQuestion, asked: AskedFor, query: TableQuery) -> float:
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
        yield from itertools.chain.from_iterable(one.stems for one in question.table.columns)
        for row in rows[:_MAX_ROWS_AROUND]:
            for cell in question.table.rows[row]:
                yield from content_stems(cell.text)

    left = 1.0
    for column in columns:
        name = _name_of(question, column, rows)
        stated = events_of(name.lower()) or events_of_stems(question.about)
        for n in [
            n for n in question.asked.not_understood if events_of(question.asked.words[n]) & stated
        ]:
            question.asked.understand(n, n + 1)
        left = min(left, trust_left(asked, name, question.about, around))
    return left


def _name_of(question: TableQuestion, column: Column, rows: Sequence[int]) -> str:
    """What a column is called; the keys of the rows in a table of keys and values."""
    if not question.table.is_keyed:
        return column.name
    return " ".join(question.table.rows[n][0].text for n in rows)


def _understood(question: TableQuestion, near: frozenset[str], cost: float) -> float:
    """The share of content words that were used, or that the page is about. Words found elsewhere
    on the page count half, and a name found nowhere nearly rules the table out.
    """
    words = question.asked.words
    meant = [n for n, word in enumerate(words) if word not in LIGHT or _is_name(question, n)]
    not_understood = question.asked.not_understood
    left = [n for n in meant if n in not_understood and stem(words[n]) not in question.about]
    content = [n for n in meant if n not in not_understood or n in left]
    elsewhere = [n for n in left if stem(words[n]) in near and not words[n].isdigit()]
    names = [n for n in left if n not in elsewhere and _is_name(question, n)]
    names_near = [n for n in elsewhere if _is_name(question, n)]
    missing = len(left) - len(names) - _NEAR * len(elsewhere)
    share = 1.0 - cost * missing / max(4, len(content))
    near_names = [n for n in names_near if n - 1 not in names_near]  # the first words of names
    trust = _NAME_NEAR ** len(near_names) * _NAME_ABSENT ** len(names)
    return float(max(0.0, share) * trust)


def _is_name(question: TableQuestion, n: int) -> bool:
    """Whether a word has a capital or a digit, and is not the first word."""
    spelled = question.asked.spelled[n]
    return n > 0 and (spelled[0].isupper() or spelled[0].isdigit())

"""The column whose cell answers a question: one that it names, or one of the requested kind."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.answering.tables.column_mentions import ColumnMention
from factmill.models.answering.tables.question_patterns import (
    PERSON_HEADER,
    PLACE_HEADER,
    WHEN,
    WHERE,
    WHO,
)
from factmill.models.answering.tables.table_question import AMBIGUOUS, TableQuestion
from factmill.models.answering.tables.typed_table import Column, ColumnKind, TypedTable
from factmill.models.answering.words.content_words import stem
from factmill.models.answering.words.measures import measures_another

_ASKS_FOR = re.compile(r"\b(?:what|which|whose|name the)\b")
_ASKS_HOW_MUCH = re.compile(r"^how (?:much|many)\b")
_ASKS_WHERE_IS = re.compile(r"where (?:is|was|are|were) the\b")
_ASKS_WHAT_IS = re.compile(r"\b(?:what|which)(?: \w+)? (?:is|was|are|were) the\b")


def target_column(
    question: TableQuestion, free: Sequence[ColumnMention], but: Column | None
) -> Column | None:
    """The column after "which", "how" or "what is the", or of the kind that "who", "where" and
    "when" ask for, or the only named one. `but` is compared, not asked for.
    """
    named = [
        one for one in free if one.column != but and not _is_other_measure(question, one.column)
    ]
    for one in named:
        if _is_asked_for(question.asked.words, one.first):
            return _asked_column(question, named, one)
    return _column_of_kind(question, named, but) or _only_named(question, named)


def _asked_column(
    question: TableQuestion, named: Sequence[ColumnMention], asked: ColumnMention
) -> Column | None:
    """The column after "which", "how" or "what is the"."""
    if names_the_rows(question, asked):
        return None  # "which light" of a table of lights, not its "Light signal"
    if sum(other.first == asked.first for other in named) > 1:
        question.trust *= AMBIGUOUS
    question.understand_column(named, asked.column)
    return asked.column


def _column_of_kind(
    question: TableQuestion, named: Sequence[ColumnMention], but: Column | None
) -> Column | None:
    """The column that "who", "where" or "when" asks for."""
    for asks, fitting in (
        (WHO, [c for c in question.table.columns if PERSON_HEADER.search(c.name.lower())]),
        (WHERE, [c for c in question.table.columns if PLACE_HEADER.search(c.name.lower())]),
        (WHEN, [c for c in question.table.columns if c.kind is ColumnKind.DATE]),
    ):
        if not asks.search(question.asked.text):
            continue
        column = _best_fitting(question.table, [c for c in fitting if c != but], named)
        if column is not None:
            question.understand_column(named, column)
            return column
    return None


def _only_named(question: TableQuestion, named: Sequence[ColumnMention]) -> Column | None:
    """The only column that is named, or the only one of numbers for "how many"."""
    columns = list(dict.fromkeys(one.column for one in named if not names_the_rows(question, one)))
    if WHERE.match(question.asked.text) and not _ASKS_WHERE_IS.match(question.asked.text):
        return None  # "where did the winning boat come from" asks for no boat
    if len(columns) > 1 and _ASKS_HOW_MUCH.search(question.asked.text):
        columns = [one for one in columns if one.kind is ColumnKind.NUMBER]
    if len(columns) != 1:
        return None
    question.understand_column(named, columns[0])
    return columns[0]


def _is_other_measure(question: TableQuestion, column: Column) -> bool:
    cells = (row[column.index].text for row in question.table.rows)
    return measures_another(question.asked.text, column.name, next(cells, ""))


def names_the_rows(question: TableQuestion, one: ColumnMention) -> bool:
    """Whether a part of a column's name is what the whole table is about."""
    return one.is_part() and stem(question.asked.words[one.first]) in question.about


def _is_asked_for(words: Sequence[str], first: int) -> bool:
    near = " ".join(words[max(0, first - 3) : first])
    if first == 1 and words[0] == "how":
        return True
    return bool(
        _ASKS_FOR.search(near) or _ASKS_WHAT_IS.search(" ".join(words[max(0, first - 5) : first]))
    )


def _best_fitting(
    table: TypedTable, fitting: list[Column], named: Sequence[ColumnMention]
) -> Column | None:
    """The only column of a kind; of several, the named one, or the one that names the rows."""
    if len(fitting) == 1:
        return fitting[0]
    of_name = [one.column for one in named if one.column in fitting]
    chosen = [*of_name, *(column for column in fitting if column == table.key)]
    return chosen[0] if chosen else None


def only_date(table: TypedTable) -> Column | None:
    """The column of dates, if there is exactly one."""
    dated = [one for one in table.columns if one.kind is ColumnKind.DATE]
    return dated[0] if len(dated) == 1 else None

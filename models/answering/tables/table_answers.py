"""The answer of a table to a question, with its supporting cells.

question, Markdown -> typed table -> query (`question_parsing`) -> answer (`table_evaluation`)
"""

from __future__ import annotations

import re

from factmill.models.answering.tables.answer_kinds import is_of_kind
from factmill.models.answering.tables.question_parsing import query_of
from factmill.models.answering.tables.table_evaluation import TableAnswer, evaluated
from factmill.models.answering.tables.table_query import TableOperation, TableQuery
from factmill.models.answering.tables.typed_table import (
    Column,
    TypedTable,
    typed_table,
)
from factmill.models.answering.tables.years_as_rows import years_as_rows
from factmill.models.answering.words.asked_for import AskedFor, asked_for
from factmill.models.answering.words.content_words import stem_set
from factmill.models.answering.words.question_kinds import Kind, kind_of
from factmill.models.answering.words.question_lengths import MAX_ANALYSED

# Operations that also work on a part of a table.
_OF_A_ROW = frozenset({TableOperation.LOOKUP, TableOperation.AFTER, TableOperation.BEFORE})
_OF_ALL_ROWS = frozenset({TableOperation.COUNT, TableOperation.SUM, TableOperation.MEAN})
_TITLE_PARTS = re.compile(r"\s+[|·–—-]\s+|:\s+")
# Questions whose first word gives the kind of answer, without a noun that may name a column.
_BARE = re.compile(r"(?:who|whom|whose|when|where|how)\b", re.IGNORECASE)
# Answers below this are withheld: see `tests/benchmarks/bench_table_questions.py`.
TABLE_THRESHOLD = 0.75


def answer_from_table(
    question: str, markdown: str, title: str = "", near: frozenset[str] = frozenset()
) -> TableAnswer | None:
    """None if the table does not answer the question, or the question is too long. `title` is the
    page's, `near` are the stems of the rest of the page.
    """
    if len(question) > MAX_ANALYSED:
        return None
    kind = kind_of(question)
    table = typed_table(markdown)
    if table is None or kind in {Kind.CLOSED, Kind.REASON}:
        return None
    asked = asked_for(_without(question, title))
    about = stem_set(f"{title} {table.caption}")
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
    return evaluated(table, query)


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

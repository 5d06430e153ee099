"""Rows that deny what a negated question asks: "Which ship carries no cars?", "never automated".

A cell denies through its named column, or in words that the question shares with the cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from factmill.models.answering.tables.row_conditions import Condition
from factmill.models.answering.tables.table_question import TableQuestion
from factmill.models.answering.tables.typed_table import Column, TypedCell
from factmill.models.answering.words.asked_for import NEGATION, is_negative
from factmill.models.answering.words.content_words import content_stems, stem, stem_set

# "no more than 5" and "no. 5" are not negations.
_NO_DENIAL = re.compile(
    r"\b(?:no|not) (?:more|less|fewer|later|earlier|longer|[a-z]+er than|\d)"
    r"|\bnot? only\b|\bno\. ?\d",
    re.I,
)


def denies_something(question: str) -> bool:
    """Whether a question is negated."""
    return is_negative(_NO_DENIAL.sub("", question))


def denied_rows(question: TableQuestion) -> list[Condition]:
    """The rows of the column that the question denies most of; none if there is no such column."""
    span = question.asked.find(NEGATION)
    if span is None:
        return []
    stems = frozenset(stem(word) for word in question.asked.words) - question.about
    named = {one.column: one.share for one in question.columns}
    found = [
        (shared + named.get(column, 0.0), -column.index, column, rows)
        for column in question.table.columns
        for shared, rows in _denials(question, column, stems)
    ]
    if not found:
        return []
    _, _, column, rows = max(found, key=lambda one: one[:2])
    question.asked.understand(span[0], span[1])
    question.understand_column(question.columns, column)
    cells = [question.table.rows[n][column.index].text for n in rows]
    question.understand_stems(stem_set(" ".join([column.name, *cells])))
    return [Condition(column, rows, span[0], span[1])]


def _denials(
    question: TableQuestion, column: Column, stems: frozenset[str]
) -> Iterator[tuple[float, frozenset[int]]]:
    rows = frozenset(n for n, row in enumerate(question.table.rows) if _denies(row[column.index]))
    words = content_stems(" ".join(question.table.rows[n][column.index].text for n in rows))
    shared = len(stems & set(column.stems)) + len(stems & set(words))
    if rows and shared and len(rows) < len(question.table.rows):
        yield float(shared), rows


def _denies(cell: TypedCell) -> bool:
    return cell.denies or is_negative(cell.text)

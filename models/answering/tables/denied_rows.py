"""Rows that deny what a negated question asks: "Which ship carries no cars?", "never automated".

A cell denies through its named column, or in words that the question shares with the cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from factmill.models.answering.tables.question_mentions import ReadQuestion
from factmill.models.answering.tables.row_conditions import Condition
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


def denied_rows(read: ReadQuestion) -> list[Condition]:
    """The rows of the column that the question denies most of; none if there is no such column."""
    span = read.asked.find(NEGATION)
    if span is None:
        return []
    stems = frozenset(stem(word) for word in read.asked.words) - read.about
    named = {one.column: one.share for one in read.columns}
    found = [
        (shared + named.get(column, 0.0), -column.index, column, rows)
        for column in read.table.columns
        for shared, rows in _denials(read, column, stems)
    ]
    if not found:
        return []
    _, _, column, rows = max(found, key=lambda one: one[:2])
    read.asked.read(span[0], span[1])
    read.understand_column(read.columns, column)
    cells = [read.table.rows[n][column.index].text for n in rows]
    read.understand_stems(stem_set(" ".join([column.name, *cells])))
    return [Condition(column, rows, span[0], span[1])]


def _denials(
    read: ReadQuestion, column: Column, stems: frozenset[str]
) -> Iterator[tuple[float, frozenset[int]]]:
    rows = frozenset(n for n, row in enumerate(read.table.rows) if _denies(row[column.index]))
    words = content_stems(" ".join(read.table.rows[n][column.index].text for n in rows))
    shared = len(stems & set(column.stems)) + len(stems & set(words))
    if rows and shared and len(rows) < len(read.table.rows):
        yield float(shared), rows


def _denies(cell: TypedCell) -> bool:
    return cell.denies or is_negative(cell.text)

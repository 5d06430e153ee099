"""Asks a table a question."""

from __future__ import annotations

from factmill.models.answering.tables.table_answers import TABLE_THRESHOLD, answer_from_table


def said(question: str, table: str) -> str | None:
    """The answer, None for none that is sure."""
    found = answer_from_table(question, table)
    return found.text if found is not None and found.score >= TABLE_THRESHOLD else None

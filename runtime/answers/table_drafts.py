"""Answers that tables of found pages give: how many, the largest, a sum, a difference.

    hits that are tables -> each asked by itself -> the one sure answer, with the cells it rests on

Two tables that are sure of different answers cancel each other: it is not clear which one is meant.
"""

from __future__ import annotations

from collections.abc import Sequence

from factmill.models.answering.sentences.page_orders import gives_orders, order_spans
from factmill.models.answering.tables.table_answers import (
    TABLE_THRESHOLD,
    TableAnswer,
    answer_from_table,
)
from factmill.models.answering.words.answer_words import same_answer
from factmill.models.answering.words.dates_and_numbers import dates_in
from factmill.models.answering.words.question_kinds import Kind, kind_of
from factmill.runtime.answers.answer import AnswerStep, Draft, cite
from factmill.runtime.answers.session import Session
from factmill.runtime.index import Hit

STEP = "table"
_MOST_TABLES = 8


def table_draft(session: Session, question: str, hits: Sequence[Hit]) -> Draft | None:
    """None where no table is sure, or says something of another kind than is asked. Records the
    step of an answer."""
    with session.timed(STEP):
        found = _sure_answer(question, hits)
    if found is None or not _is_of_kind(found[1].text, kind_of(question)):
        return None
    hit, answer = found
    session.record(AnswerStep(STEP, STEP, question, answer.derivation, answer=answer.text))
    citations = [cite(hit, start, end) for start, end in answer.cells]
    return Draft(answer.text, answer.score, citations)


def _is_of_kind(answer: str, kind: Kind) -> bool:
    if kind in {Kind.CLOSED, Kind.REASON}:
        return False
    if kind is Kind.DATE:
        return next(dates_in(answer), None) is not None
    has_digit = any(character.isdigit() for character in answer)
    if kind is Kind.NUMBER:
        # That no row fits is no count: the table may not be the one that is meant.
        return has_digit and answer != "0"
    return not (has_digit and kind in {Kind.PERSON, Kind.PLACE})


def table_reference(question: str, hit: Hit) -> TableAnswer | None:
    """What one table says, None where it is not sure."""
    if "|" not in hit.text or order_spans(hit.text):
        return None
    answer = answer_from_table(question, hit.text, hit.title)
    if answer is None or answer.score < TABLE_THRESHOLD or gives_orders(answer.text):
        return None
    return answer


def _sure_answer(question: str, hits: Sequence[Hit]) -> tuple[Hit, TableAnswer] | None:
    tables = [hit for hit in hits if "|" in hit.text][:_MOST_TABLES]
    asked = [(hit, table_reference(question, hit)) for hit in tables]
    sure = [(hit, answer) for hit, answer in asked if answer is not None]
    if not sure:
        return None
    best = max(sure, key=lambda one: one[1].score)
    if any(not same_answer(best[1].text, answer.text) for _, answer in sure):
        return None
    return best

"""The fallback of `hybrid` when its LLM fails: an extracted answer with plain support.

The question must be one whose answer does not change, and one quote, together with the page's
title, must contain all content words of the question. Otherwise the answer is "I don't know": a
wrong answer costs more than none.
"""

from __future__ import annotations

from collections.abc import Sequence

from factmill.models.answering.attributes.attributes import Dynamism
from factmill.models.answering.words.content_words import stem_set
from factmill.runtime.answers import extractive, question_attributes
from factmill.runtime.answers.answer import AnswerStep, Citation, Draft
from factmill.runtime.answers.session import Session


async def draft(session: Session) -> Draft:
    """An answer without any call, or "I don't know"."""
    if _changes(session.steps):
        return Draft()
    found = await extractive.draft(session)
    return found if _is_plain(session.question, found.citations) else Draft()


def _changes(steps: Sequence[AnswerStep]) -> bool:
    """Whether the LLM or a model determined that the answer changes over time."""
    said = [step.answer for step in steps if step.kind == question_attributes.ATTRIBUTES_STEP]
    return any(not one.endswith(Dynamism.STATIC.value) for one in said)


def _is_plain(question: str, citations: Sequence[Citation]) -> bool:
    asked = stem_set(question)
    return any(asked <= stem_set(f"{one.title} {one.quote}") for one in citations)

"""What `hybrid` says when its LLM fails: an extracted answer that plainly stands in what it cites.

Its question does not change, and one of its quotes, with the title of the page, has all words of
the question that carry meaning. Everything else is "I don't know": a wrong answer costs more than
none.
"""

from __future__ import annotations

from collections.abc import Sequence

from factmill.models.answering.attributes.attributes import Dynamism
from factmill.models.answering.words.content_words import content_stems
from factmill.runtime.answers import extractive, question_attributes
from factmill.runtime.answers.answer import AnswerStep, Citation, Draft
from factmill.runtime.answers.session import Session


async def draft(session: Session) -> Draft:
    """Answer without any call, or not."""
    if _changes(session.steps):
        return Draft()
    found = await extractive.draft(session)
    return found if _is_plain(session.question, found.citations) else Draft()


def _changes(steps: Sequence[AnswerStep]) -> bool:
    """Whether the LLM, or a model, got so far as to say that the answer changes."""
    said = [step.answer for step in steps if step.kind == question_attributes.STEP]
    return any(not one.endswith(Dynamism.STATIC.value) for one in said)


def _is_plain(question: str, citations: Sequence[Citation]) -> bool:
    asked = set(content_stems(question))
    return any(asked <= set(content_stems(f"{one.title} {one.quote}")) for one in citations)

"""R2AG: one call to an LLM that gets, before each document, an embedding of its retrieval features.

    question -> the best pages, their best units -> list features -> R2-Former -> an embedding each
             -> prompt with embeddings -> the LLM -> its answer, cited by the units that contain it

The LLM cites no passages, so the units that contain its answer become its citations; an answer that
is in no unit is withheld.
"""

from __future__ import annotations

import numpy as np

from factmill.models.answering.r2former.list_features import list_features
from factmill.models.answering.r2former.shown_documents import shown_document
from factmill.models.answering.words.answer_words import is_no_answer
from factmill.models.arrays import Floats
from factmill.runtime.answers.answer import RETRIEVE, AnswerStep, Draft, StepHit
from factmill.runtime.answers.llm_answers import (
    MAX_CHARACTERS,
    STEP,
    LlmAnswer,
    checked,
    printable_line,
)
from factmill.runtime.answers.passages import (
    ShownPassage,
    ShownPassages,
    of_segment,
    of_unit,
    supports,
)
from factmill.runtime.answers.session import Session, StepFailed
from factmill.runtime.search.hits import Hit
from factmill.schemas.errors import OptionError

CALLS = 1
DOCUMENTS = 10
_ANSWER_TOKENS = 24
_MAX_CITED = 3


async def draft(session: Session) -> Draft:
    """Answer with one call. Raises StepFailed, and OptionError without an LLM or without codes."""
    llm = session.retrieval_llm
    if llm is None:
        raise OptionError("the strategy r2ag reads embeddings: give --llm-folder PATH")
    began = session.begin()
    most = min(DOCUMENTS, llm.r2former.card.documents)
    found = await session.search_vectors(session.question, most)
    if found is None:
        raise OptionError("the strategy r2ag needs an index with codes")
    llm.r2former.check_encoder(found.encoder)
    hits = found.hits
    step = AnswerStep(RETRIEVE, RETRIEVE, session.question, hits=tuple(map(StepHit.of, hits)))
    session.record(step, began)
    shown = [
        (passage, of_hit[0])
        for hit, of_hit in zip(hits, found.units, strict=True)
        if (passage := _passage(hit))
    ]
    if not shown:
        return Draft()
    began = session.begin()
    features = list_features(found.query, np.stack([vector for _, vector in shown]))
    documents = [shown_document(passage.title, passage.text) for passage, _ in shown]
    said = await session.complete_documents(STEP, documents, features, _ANSWER_TOKENS)
    line = said.text.partition("\n")[0]
    if len(line) > MAX_CHARACTERS:  # no LLM writes so much in so few tokens
        raise StepFailed(f"{STEP}: the reply has more than {MAX_CHARACTERS} characters", True)
    text = printable_line(line)
    step = AnswerStep(STEP, STEP, session.question, needs=(RETRIEVE,), answer=text)
    session.record(step, began)
    passages = [passage for passage, _ in shown]
    return _cited(session.question, text, passages, llm.r2former.relevance(features))


def _passage(hit: Hit) -> ShownPassage | None:
    """The text shown for a page: its best unit, or its segment if it has none."""
    return of_unit(hit, hit.units[0]) if hit.units else of_segment(hit)


def _cited(question: str, text: str, passages: list[ShownPassage], relevance: Floats) -> Draft:
    """The answer with the most relevant passages that contain it."""
    if not text or is_no_answer(text):
        return Draft()
    order = relevance.argsort()[::-1].tolist()
    shown = ShownPassages()
    numbers = [shown.add(passages[n]) for n in order if supports([passages[n]], text, question)]
    return checked(LlmAnswer(text, tuple(numbers[:_MAX_CITED])), shown, question)

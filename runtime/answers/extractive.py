"""The answer that needs no LLM: searched for and extracted, or "I don't know"."""

from __future__ import annotations

from factmill.models.answering.sentence_spans import sentence_spans
from factmill.models.answering.subquestions import single
from factmill.runtime.answers.answer import Citation, Draft, cite
from factmill.runtime.answers.hops import Hop, answer_hops
from factmill.runtime.answers.session import Session
from factmill.runtime.index import Hit

CALLS = 0
MIN_CONFIDENCE = 0.35


async def draft(session: Session) -> Draft:
    """Answer without any call."""
    hops = await answer_hops(session, single(session.question))
    hop = hops["1"]
    if not hop.candidates or hop.candidates[0].score < MIN_CONFIDENCE:
        return Draft()
    return Draft(hop.answer, hop.candidates[0].score, (citation_of(hop),))


def citation_of(hop: Hop) -> Citation:
    """The sentence that holds the best candidate of a hop, and the unit that stands there."""
    candidate = hop.candidates[0]
    hit = hop.hits[candidate.source]
    start, end = _sentence(hit, candidate.start, candidate.end)
    units = [unit for unit in hit.units if unit.start < end and start < unit.end]
    best = max(units, key=lambda unit: unit.score, default=None)
    return cite(hit, start, end, best)


def _sentence(hit: Hit, start: int, end: int) -> tuple[int, int]:
    spans = [span for span in sentence_spans(hit.text) if span[0] < end and start < span[1]]
    return (min(start, spans[0][0]), max(end, spans[-1][1])) if spans else (start, end)

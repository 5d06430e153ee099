"""Sub-questions answered one after the other, or at once where none needs the other.

    ready questions -> answers put in -> search -> facts, and candidates for the answer
                    -> the next questions

What follows an uncertain answer is asked with its best candidates.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from factmill.models.answering.answer_candidates import Candidate
from factmill.models.answering.rewriting import variants
from factmill.models.answering.span_extractor import extract
from factmill.models.answering.subquestions import SubQuestion, waves
from factmill.runtime.answers.answer import AnswerStep, StepHit
from factmill.runtime.answers.found_facts import Fact, best_facts, source_of
from factmill.runtime.answers.session import Session
from factmill.runtime.index import Hit

PAGES = 5
FACTS = 3
# A candidate is carried beside the best one when its score is at least this share of the best.
_NEAR_BEST = 0.85
_MOST_CARRIED = 2


@dataclass(frozen=True, slots=True)
class Hop:
    """A sub-question with what was found for it. `hits[candidate.source]` is where a candidate
    stands."""

    asked: SubQuestion
    rewritten: str
    hits: tuple[Hit, ...]
    facts: tuple[Fact, ...]
    candidates: tuple[Candidate, ...]

    @property
    def answer(self) -> str:
        """The best candidate, "" for none."""
        return self.candidates[0].text if self.candidates else ""

    def carried(self) -> list[str]:
        """The candidates that later questions are asked with."""
        if not self.candidates:
            return []
        least = _NEAR_BEST * self.candidates[0].score
        return [one.text for one in self.candidates[:_MOST_CARRIED] if one.score >= least]


async def answer_hops(
    session: Session, questions: Sequence[SubQuestion], facts: int = FACTS
) -> dict[str, Hop]:
    """All questions with what was found, by id."""
    hops: dict[str, Hop] = {}
    for wave in waves(questions):
        found = await asyncio.gather(*(_hop(session, one, hops, facts) for one in wave))
        hops |= {hop.asked.id: hop for hop in found}
    return hops


async def _hop(session: Session, asked: SubQuestion, before: dict[str, Hop], count: int) -> Hop:
    start = time.monotonic()
    texts = variants(asked.question, {need: before[need].carried() for need in asked.needs})
    found = await asyncio.gather(*(session.search(text, PAGES) for text in texts))
    with session.timed("extract"):
        hop = _best_hop(asked, texts, found, count)
    session.record(
        AnswerStep(
            asked.id,
            "sub-question",
            asked.question,
            hop.rewritten,
            asked.needs,
            tuple(map(StepHit.of, hop.hits)),
            hop.answer,
            time.monotonic() - start,
        )
    )
    return hop


def _best_hop(
    asked: SubQuestion, texts: Sequence[str], found: Sequence[list[Hit]], count: int
) -> Hop:
    """The variant whose best candidate scores highest; the first one when none has any."""
    hops = []
    for text, hits in zip(texts, found, strict=True):
        candidates = extract(text, [source_of(hit) for hit in hits])
        facts = best_facts(hits, count)
        hops.append(Hop(asked, text, tuple(hits), tuple(facts), tuple(candidates)))
    return max(hops, key=lambda hop: hop.candidates[0].score if hop.candidates else -1.0)

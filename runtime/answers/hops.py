"""Answers sub-questions one after the other, or concurrently if they are independent.

    ready questions -> answers put in -> search -> facts, and candidates for the answer
                    -> the next questions

Questions that depend on an uncertain answer are asked with its best candidates.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.decomposing.subquestions import SubQuestion, waves
from factmill.models.answering.rewriting.referred_answers import (
    described_name,
    name_of_kind,
    names_nothing,
    referred,
    with_mark_of_answer,
)
from factmill.models.answering.rewriting.repeated_descriptions import (
    description,
    with_repeated_needs,
)
from factmill.models.answering.rewriting.rewriting import variants
from factmill.runtime.answers.answer import SUB_QUESTION, AnswerStep, StepHit
from factmill.runtime.answers.concurrent_steps import concurrently
from factmill.runtime.answers.found_facts import Fact, best_facts, source_of
from factmill.runtime.answers.session import Session
from factmill.runtime.index import Hit

FindPages = Callable[[str], Awaitable[list[Hit]]]

# Pages to answer a question from, segments of each, and further tables of the best page.
PAGES, SEGMENTS, TABLES = 5, 24, 24
FACTS = 3
# A candidate is likely when its score is at least this share of the best score.
_NEAR_BEST = 0.85
_MAX_LIKELY = 2
# How many times the score of a question built on the first candidate one built on the second must
# have. A first score below _MIN_SCORE counts as _MIN_SCORE, so a tiny score does not beat none.
_CLEARLY, _MIN_SCORE = 1.3, 0.3
# The score from which a candidate's source counts among the facts of its question.
_MIN_SHOWN_SCORE = 0.25


@dataclass(frozen=True, slots=True)
class Hop:
    """A sub-question with its search results. `hits[candidate.source]` is the source of a
    candidate. `name` is the entity that the question merely describes, if so.
    """

    asked: SubQuestion
    rewritten: str
    hits: tuple[Hit, ...]
    facts: tuple[Fact, ...]
    candidates: tuple[Candidate, ...]
    name: str = ""

    @property
    def answer(self) -> str:
        """The best candidate, "" for none."""
        return self.candidates[0].text if self.candidates else ""

    @property
    def score(self) -> float:
        """The score of the best candidate, 0 for none."""
        return self.candidates[0].score if self.candidates else 0.0

    def carried(self) -> list[str]:
        """The texts that later questions use: the candidates, or the name that this question is
        about.
        """
        return [self.name] if self.name else [one.text for one in self.likely()]

    def likely(self) -> list[Candidate]:
        """The best candidate, and the next one if it is about as good."""
        return [
            one for one in self.candidates[:_MAX_LIKELY] if one.score >= _NEAR_BEST * self.score
        ]

    def answering(self) -> list[Hit]:
        """The sources of likely candidates that are good enough to show."""
        return [self.hits[one.source] for one in self.likely() if one.score >= _MIN_SHOWN_SCORE]


def of_pages(hits: Sequence[Hit], most: int) -> list[Hit]:
    """The hits of the first `most` pages; hits come page by page."""
    pages = list(dict.fromkeys(hit.page_id for hit in hits))[:most]
    return [hit for hit in hits if hit.page_id in pages]


def pages_found(hits: Sequence[Hit]) -> tuple[StepHit, ...]:
    """The distinct pages of some hits, each with its first segment."""
    by_page: dict[str, StepHit] = {}
    for hit in hits:
        by_page.setdefault(hit.page_id, StepHit.of(hit))
    return tuple(by_page.values())


async def answer_hops(
    session: Session,
    questions: Sequence[SubQuestion],
    count: int = FACTS,
    pages: int = PAGES,
    scores_spans: bool = True,
) -> dict[str, Hop]:
    """All questions with their results, by id. `count` facts come from `pages` pages.
    `scores_spans`: whether the packaged span scorer may be asked.
    """
    hops: dict[str, Hop] = {}
    # Steps of relations are new questions, which others may repeat: needs are completed here, too.
    for wave in waves(with_repeated_needs(questions)):
        found = await concurrently(
            answer_hop(session, one, hops, count, pages=pages, scores_spans=scores_spans)
            for one in wave
        )
        hops |= {hop.asked.id: hop for hop in found}
    return hops


async def answer_hop(
    session: Session,
    asked: SubQuestion,
    before: Mapping[str, Hop],
    count: int = FACTS,
    find: FindPages | None = None,
    pages: int = PAGES,
    scores_spans: bool = True,
) -> Hop:
    """One question with its results. `before` has the questions it depends on. `find` returns the
    segments of pages, by default of the `pages` best: the first PAGES of these supply candidates,
    all supply facts. `scores_spans`: whether the packaged span scorer may be asked.
    """
    began = session.begin()
    wording = _wording(session, asked, before)
    look = find or (lambda text: session.search_pages(text, pages, SEGMENTS, TABLES))
    found = await asyncio.gather(*map(look, wording.texts))
    with session.timed("extract"):
        models = session.index.answer_models
        extract = models.extract if scores_spans else models.extract_unscored
        hop = _best_hop(asked, wording.texts, found, extract)
        shown = [fact for need in wording.needs for fact in before[need].facts]
        facts = best_facts(hop.hits, count, hop.answering(), shown)
        name = described_name(hop.rewritten)
        if wording.is_whole:
            name = name_of_kind(asked.question, session.question)
        hop = replace(hop, facts=tuple(facts), name=name)
    step = AnswerStep(
        asked.id,
        SUB_QUESTION,
        asked.question,
        hop.rewritten,
        asked.needs,
        pages_found(hop.hits),
        hop.answer,
    )
    session.record(step, began)
    return hop


class _Wording(NamedTuple):
    """The texts that ask a sub-question, with the answers to the questions that it `needs` put in,
    the likeliest first. `is_whole`: they ask the whole question instead.
    """

    texts: list[str]
    needs: list[str]
    is_whole: bool


def _wording(session: Session, asked: SubQuestion, before: Mapping[str, Hop]) -> _Wording:
    put_in = session.index.answer_models.put_in
    needs = referred(asked.question, asked.needs, lambda one: _asked_before(before[one]))
    carried = {need: before[need].carried() for need in needs}
    described = {need: description(before[need].asked.question) for need in needs}
    question = with_mark_of_answer(
        asked.question, {need: before[need].asked.question for need in needs if carried[need]}
    )
    texts = variants(question, carried, put=put_in, described=described)
    # A comparison of earlier answers, or a part that says nothing, is asked as the whole question.
    is_whole = (
        texts == [asked.question]
        and sum(map(bool, carried.values())) != 1
        and names_nothing(asked.question)
    )
    if is_whole:
        texts = variants(session.question, carried, put=put_in, described=described)
    return _Wording(texts, needs, is_whole)


def _asked_before(hop: Hop) -> tuple[str, tuple[str, ...]]:
    return hop.asked.question, hop.asked.needs


def _best_hop(
    asked: SubQuestion,
    texts: Sequence[str],
    found: Sequence[list[Hit]],
    extract: Callable[[str, Sequence[Source]], list[Candidate]],
) -> Hop:
    """The variant whose best candidate scores highest. A later variant, which follows from a less
    likely answer, must be clearly better. The first one if none has a candidate.
    """
    hops = []
    for text, hits in zip(texts, found, strict=True):
        searched = of_pages(hits, PAGES)
        candidates = extract(text, [source_of(hit) for hit in searched])
        hops.append(Hop(asked, text, tuple(hits), (), tuple(candidates)))
    best = hops[0]
    for hop in hops[1:]:
        if hop.score > _CLEARLY * max(best.score, _MIN_SCORE):
            best = hop
    return best

"""The Revelator without an LLM: the packaged router and relevance scorer, and the decomposition
rules.

The plan of a question gives its parts, what to ask next, and when nothing is left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from factmill.models.answering.decomposing.local_decomposer import local_plan
from factmill.models.answering.decomposing.question_plan import Combining, QuestionPlan
from factmill.models.answering.decomposing.subquestions import SubQuestion, single
from factmill.models.answering.relevance.relevance import default_relevance
from factmill.models.answering.routing.default_router import default_router
from factmill.models.answering.routing.route import RouteProbabilities
from factmill.models.answering.routing.rule_router import RULE_PROBABILITIES, route_of_plan
from factmill.runtime.answers.hanrag.revelator import Answered
from factmill.runtime.answers.retrieved_documents import retrieved_documents
from factmill.runtime.answers.session import Session
from factmill.runtime.search.hits import Hit


class LocalRevelator:
    """Decides for the session's question."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @cached_property
    def plan(self) -> QuestionPlan:
        """The question decomposed by rule."""
        return local_plan(self._session.question)

    async def route(self) -> RouteProbabilities:
        return await asyncio.to_thread(self._route)

    def _route(self) -> RouteProbabilities:
        """Questions that decompose by rule, which is rarely wrong, need no vector. The router
        decides the rest, by the question's shape alone if there is no encoder.
        """
        if self.plan.combining is Combining.ALL:
            return RULE_PROBABILITIES[route_of_plan(self.plan)]
        index, question = self._session.index, self._session.question
        encoded = index.vector(question)
        vector = np.zeros(0, np.float32) if encoded is None else encoded[1]
        return default_router(index.encoder).route(question, vector)

    async def decompose(self) -> tuple[SubQuestion, ...]:
        questions = self.plan.questions
        if any(question.needs for question in questions):
            return single(self._session.question)
        return questions

    async def refine(self, answered: Sequence[Answered]) -> tuple[SubQuestion, ...]:
        """The plan's next questions; one that needs a missing answer is not asked."""
        done = {one.id for one in answered}
        found = {one.id for one in answered if one.answer}
        return tuple(
            question
            for question in self.plan.questions
            if question.id not in done and found.issuperset(question.needs)
        )

    async def relevance(self, question: str, hits: Sequence[Hit], room: int) -> list[float]:  # noqa: ARG002
        scorer = default_relevance(self._session.index.encoder)
        with self._session.timed("relevance"):
            probabilities = scorer.relevance(question, retrieved_documents(hits))
        return [float(one) for one in probabilities]

    async def ending(self, answered: Sequence[Answered]) -> bool:
        return not await self.refine(answered)

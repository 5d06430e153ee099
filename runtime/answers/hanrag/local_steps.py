"""Answers without an LLM: extraction from relevant pages, combined as the question's plan says."""

from __future__ import annotations

from functools import partial

from factmill.models.answering.decomposing.question_plan import QuestionPlan
from factmill.models.answering.decomposing.subquestions import SubQuestion, single
from factmill.runtime.answers.answer import Draft
from factmill.runtime.answers.combined_answers import combined_draft
from factmill.runtime.answers.hanrag.local_revelator import LocalRevelator
from factmill.runtime.answers.hanrag.relevant_pages import relevant_hits
from factmill.runtime.answers.hanrag.revelator import Answered
from factmill.runtime.answers.hops import SEGMENTS, Hop, answer_hop
from factmill.runtime.answers.session import Session


class LocalSteps:
    """Answers the questions of one session."""

    def __init__(self, session: Session, revelator: LocalRevelator) -> None:
        self._session, self._revelator = session, revelator
        self._hops: dict[str, Hop] = {}

    def can_go_on(self) -> bool:
        """Always true: nothing is spent."""
        return True

    async def answer(self, asked: SubQuestion, at_once: int) -> Answered:  # noqa: ARG002
        """The answer to one question; `at_once` questions run concurrently."""

        find = partial(relevant_hits, self._session, self._revelator, asked.id, segments=SEGMENTS)
        hop = await answer_hop(
            self._session, asked, self._hops, find=lambda text: find(question=text)
        )
        self._hops[asked.id] = hop
        return Answered(asked.id, hop.rewritten, hop.answer)

    async def alone(self) -> Draft:
        """Empty: without an LLM there is no answer without a search."""
        return Draft()

    async def only(self) -> Draft:
        """The answer when only the question itself was asked."""
        plan = QuestionPlan(single(self._session.question))
        return combined_draft(self._session, plan, self._hops)

    async def merged(self) -> Draft:
        """One answer from the answers to several questions."""
        return combined_draft(self._session, self._revelator.plan, self._hops)

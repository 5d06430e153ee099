"""HANRAG: a Revelator routes every question and keeps noise out of its answer.

    question -> route -> straightforward   the LLM by itself
                      -> single            10 pages -> the relevant ones -> answer
                      -> compound          parts, each as a single question, concurrently -> merged
                      -> complex           refine -> single -> enough? and again -> merged

With an LLM, the LLM decides and answers. Without one, local models and rules do, and a
straightforward question counts as a single one. (HANRAG, algorithms 1 and 2; the paper's algorithm
2 forgets to judge the ending again after every step.)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol

from factmill.models.answering.decomposing.subquestions import (
    MAX_QUESTIONS,
    SubQuestion,
    single,
)
from factmill.models.answering.routing.route import Route, RouteProbabilities
from factmill.models.answering.words.answer_words import DONT_KNOW
from factmill.models.llm.marked_parts import one_line
from factmill.runtime.answers.answer import AnswerStep, Draft
from factmill.runtime.answers.concurrent_steps import concurrently
from factmill.runtime.answers.hanrag.llm_revelator import LlmRevelator
from factmill.runtime.answers.hanrag.llm_steps import LlmSteps
from factmill.runtime.answers.hanrag.local_revelator import LocalRevelator
from factmill.runtime.answers.hanrag.local_steps import LocalSteps
from factmill.runtime.answers.hanrag.revelator import Answered, Revelator
from factmill.runtime.answers.question_limits import QuestionLimits
from factmill.runtime.answers.session import Session

TOKENS = 24_000
# Calls for a step on the complex route (the last needs no ending), and for a part of a compound.
_OF_STEP, _OF_PART = 4, 2
# Calls to route and to answer; with those to decompose.
_COMPLEX = 1 + _OF_STEP * QuestionLimits().steps
_COMPOUND = 3 + _OF_PART * MAX_QUESTIONS
CALLS = max(_COMPLEX, _COMPOUND)


class Steps(Protocol):
    """Answers the questions of one session and merges the answers. Methods may raise StepFailed."""

    def can_go_on(self) -> bool:
        """Whether the budget allows another question."""

    async def answer(self, asked: SubQuestion, at_once: int) -> Answered:
        """The answer to one question; `at_once` questions run concurrently."""

    async def alone(self) -> Draft:
        """The LLM's answer without a search."""

    async def only(self) -> Draft:
        """The answer when only the question itself was asked."""

    async def merged(self) -> Draft:
        """One answer from the answers to several questions."""


async def draft(session: Session) -> Draft:
    """Answer on the route that the Revelator chooses. Raises StepFailed."""
    local = LocalRevelator(session)
    if not session.has_llm:
        return await _Routes(session, local, LocalSteps(session, local)).draft()
    revelator = LlmRevelator(session, local)
    return await _Routes(session, revelator, LlmSteps(session, revelator)).draft()


class _Routes:
    """The routes that one question may take."""

    def __init__(self, session: Session, revelator: Revelator, steps: Steps) -> None:
        self._session, self._revelator, self._steps = session, revelator, steps

    async def draft(self) -> Draft:
        """The most likely route first, then the others if it leads to no answer."""
        for route in self._routes(await self._routed()):
            found = await self._on(route)
            if found is not None:
                return found
        raise AssertionError("a single step leads to an answer, or to none")

    async def _on(self, route: Route) -> Draft | None:
        """None when the question cannot take this route."""
        if route is Route.STRAIGHTFORWARD:
            alone = await self._steps.alone()
            return None if alone.text == DONT_KNOW else alone
        if route is Route.COMPOUND:
            return await self._compound()
        if route is Route.COMPLEX:
            return await self._complex()
        return await self._single()

    async def _routed(self) -> RouteProbabilities:
        began = self._session.begin()
        likely = await self._revelator.route()
        shown = ", ".join(f"{route.value} {likely.of(route):.2f}" for route in Route)
        self._record("route", "route", (), f"{self._routes(likely)[0].value} ({shown})", began)
        return likely

    def _routes(self, likely: RouteProbabilities) -> list[Route]:
        """The likely routes, best first; the single route is always possible. With an LLM, whose
        calls are bounded, it is the only one to follow the best.
        """
        routes = likely.ranked()
        if self._session.has_llm:
            return list(dict.fromkeys([routes[0], Route.SINGLE]))
        routes.remove(Route.STRAIGHTFORWARD)
        return [route for route in routes if likely.of(route) > 0 or route is Route.SINGLE]

    async def _single(self) -> Draft:
        (asked,) = single(self._session.question)
        await self._steps.answer(asked, 1)
        return await self._steps.only()

    async def _compound(self) -> Draft | None:
        """None when the question has no parts."""
        began = self._session.begin()
        parts = await self._revelator.decompose()
        self._record("decompose", "decompose", (), _shown(parts), began)
        if len(parts) < 2:
            return None
        await concurrently(self._steps.answer(part, len(parts)) for part in parts)
        return await self._steps.merged()

    async def _complex(self) -> Draft | None:
        """None when the first thing to ask is the question itself, which makes it a simple one."""
        answered: list[Answered] = []
        most = self._session.limits.steps
        for step in range(1, most + 1):
            asked = await self._refined(step, answered)
            if not answered and _is_simple(self._session.question, asked):
                return None
            if not asked:
                break
            answered += await concurrently(self._steps.answer(one, len(asked)) for one in asked)
            if await self._ended(step, answered):
                break
        return await self._steps.merged()

    async def _refined(self, step: int, answered: Sequence[Answered]) -> tuple[SubQuestion, ...]:
        """The next questions, without those already asked in the same words."""
        began = self._session.begin()
        asked = await self._revelator.refine(answered)
        before = {one.question.casefold() for one in answered}
        new = tuple(one for one in asked if one.question.casefold() not in before)
        said = _shown(new) if new or not asked else "asks the same again"
        self._record(f"refine-{step}", "refine", [one.id for one in answered], said, began)
        return new

    async def _ended(self, step: int, answered: Sequence[Answered]) -> bool:
        """The Revelator is not asked when no further step is possible."""
        began = self._session.begin()
        if step == self._session.limits.steps:
            ended, said = True, f"{step} steps are the most"
        elif not self._steps.can_go_on():
            ended, said = True, "the tokens of the question are nearly spent"
        else:
            ended = await self._revelator.ending(answered)
            said = "enough" if ended else "not enough"
        self._record(f"ending-{step}", "ending", [one.id for one in answered], said, began)
        return ended

    def _record(self, name: str, kind: str, needs: Sequence[str], said: str, began: float) -> None:
        step = AnswerStep(name, kind, self._session.question, needs=tuple(needs), answer=said)
        self._session.record(step, began)


def _shown(questions: Sequence[SubQuestion]) -> str:
    return json.dumps([one.question for one in questions], ensure_ascii=False)


def _is_simple(question: str, asked: Sequence[SubQuestion]) -> bool:
    plain = one_line(question).casefold()
    return [one_line(one.question).casefold() for one in asked] == [plain]

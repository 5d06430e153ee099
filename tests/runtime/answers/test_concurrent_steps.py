"""Parts of a question that run at the same time end together, even when one of them fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from factmill.models.llm.completion import Completion, Message
from factmill.runtime.answers.answer import Answer
from factmill.runtime.answers.answer_question import answer_async
from factmill.runtime.answers.concurrent_steps import concurrently
from factmill.runtime.answers.session import StepFailed
from factmill.runtime.index import Index
from tests.runtime.answers.fixed_index import FixedIndex
from tests.runtime.answers.hanrag.oracle_llm import OracleLlm
from tests.runtime.answers.hanrag.test_llm_routes import ANSWERS, BOTH, HOPS, PAGES, PARTS


class Waiting:
    """A step that never ends by itself."""

    ended = False

    async def step(self) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.ended = True
        return "never"


async def failing() -> str:
    await asyncio.sleep(0)
    raise StepFailed("answer: it holds no JSON object")


async def saying(text: str) -> str:
    return text


def test_results_come_in_order() -> None:
    async def work() -> list[str]:
        return await concurrently(saying(text) for text in "abc")

    assert asyncio.run(work()) == ["a", "b", "c"]


def test_the_others_have_ended_when_a_step_fails_or_all_are_cancelled() -> None:
    async def work() -> None:
        waiting = Waiting()
        with pytest.raises(StepFailed, match="no JSON"):
            await concurrently([waiting.step(), failing()])
        assert waiting.ended
        waiting = Waiting()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(concurrently([waiting.step()]), 0.01)
        assert waiting.ended

    asyncio.run(work())


@dataclass
class FirstFails(OracleLlm):
    """Gives no usable answer to the first part, while the second one waits for what is relevant."""

    waiting: Waiting = field(default_factory=Waiting)
    second_waits: asyncio.Event = field(default_factory=asyncio.Event)

    async def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None = None,
        deadline: float | None = None,
        step: str = "",
    ) -> Completion:
        if step == "relevance" and HOPS[1] in messages[-1].content:
            self.second_waits.set()
            await self.waiting.step()
        if step == "answer":
            await self.second_waits.wait()
        return await super().complete(messages, max_tokens, schema, deadline, step)

    def reply(self, step: str, prompt: str) -> dict[str, Any]:
        return {} if step == "answer" else super().reply(step, prompt)


def test_no_part_of_a_failed_question_goes_on_after_the_answer() -> None:
    llm = FirstFails("compound", ANSWERS, parts=PARTS)

    async def work() -> Answer:
        found = await answer_async(BOTH, cast(Index, FixedIndex(PAGES)), llm, "hanrag")
        assert llm.waiting.ended
        return found

    found = asyncio.run(work())
    assert (found.strategy, found.text) == ("extractive", "Ardith Vossberg; Saltmere")
    ids = [step.id for step in found.steps]
    assert len(set(ids)) == len(ids)

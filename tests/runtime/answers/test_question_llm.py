"""The LLM of questions: what an outage ends, and which calls are made."""

from __future__ import annotations

import asyncio

import pytest

from factmill.runtime.answers.answer import Answer
from factmill.runtime.answers.answer_question import answer_async
from factmill.runtime.answers.question_limits import QuestionLimits
from factmill.runtime.answers.question_llm import AnswerSettings, question_llm
from tests.llm_server import LlmServer, Reply, error
from tests.models.llm.client_calls import run
from tests.runtime.answers.fixed_index import fixed_index
from tests.runtime.answers.test_llm_strategies import INDEX, QUESTION, RIGHT, says


def test_a_server_that_wants_a_wait_is_asked_again_by_later_questions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("factmill.runtime.answers.question_llm._SECONDS_OF_OUTAGE", 0.1)
    slower = error(429, "slower", {"Retry-After": "0.2"})

    async def work(server: LlmServer) -> list[Answer]:
        pages = fixed_index(**INDEX)
        found: list[Answer] = []
        async with question_llm(AnswerSettings(None, server.url, "tiny")) as llm:
            while not found or found[-1].notice:
                found.append(await answer_async(QUESTION, pages, llm, "hashrag"))
        return found

    with LlmServer(
        says(RIGHT), override=lambda *_: slower if server.requests < 2 else None
    ) as server:
        *earlier, last = run(work(server))

        assert server.requests == 2
    assert [answer.ledger.calls for answer in earlier] == [1] + [0] * (len(earlier) - 1)
    for answer in earlier:
        assert answer.strategy == "extractive"
        assert "wants a wait" in answer.notice
    assert (last.strategy, last.text) == ("hashrag", "3 May 1921")


def test_a_question_that_waits_behind_another_until_its_time_is_over_makes_no_call() -> None:
    async def work(server: LlmServer) -> list[Answer]:
        limits = QuestionLimits(seconds=0.4)
        settings = AnswerSettings(None, server.url, "tiny", in_flight=1, limits=limits)
        async with question_llm(settings) as llm:
            pages = fixed_index(**INDEX)
            asking = (answer_async(QUESTION, pages, llm, "hashrag", limits) for _ in range(2))
            return await asyncio.gather(*asking)

    with LlmServer(says(RIGHT), override=lambda *_: Reply(seconds=60)) as server:
        found = run(work(server))

        assert server.requests == 1
    assert [one.strategy for one in found] == ["extractive"] * 2
    assert sorted(one.ledger.calls for one in found) == [0, 1]

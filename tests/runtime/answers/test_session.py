"""Replies of an LLM on their way through a session: what cannot be used, and lone surrogates."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from factmill.models.llm.completion import CallRejected, Completion, Message, Usage
from factmill.models.llm.fake_llm import FakeLlm
from factmill.runtime.answers.answer_question import STRATEGIES, answer
from factmill.runtime.answers.answer_tools import AnswerTools
from factmill.runtime.answers.question_limits import QuestionLimits
from factmill.runtime.answers.session import Session
from factmill.runtime.service.json_responses import json_bytes
from factmill.schemas.errors import BudgetSpent, Rejected, ServerDown
from tests.llm_server import Body, LlmServer, Reply
from tests.runtime.answers.fixed_index import fixed_index
from tests.runtime.answers.hybrid_llm import STATIC, ask, said
from tests.runtime.answers.test_llm_strategies import RIGHT, says
from tests.runtime.answers.test_llm_strategies import ask as ask_over_http


def test_lone_surrogates_of_statements_can_be_sent() -> None:
    found, _ = ask(
        "Which architect designed Quenby Lock?", attributes=[STATIC],
        knowledge=[{"statements": ["Tarn \ud83d designed it \ud83d\ude00."]}],
        answer=[said("Tarn", [])],
    )  # fmt: skip

    (known,) = (step for step in found.steps if step.id == "knowledge")
    assert known.answer == "Tarn \ufffd designed it \U0001f600."
    assert json_bytes(found.as_json())


def test_lone_surrogates_of_ids_can_be_sent() -> None:
    questions = [{"id": "\udc00", "question": "Who was Tarn Song directed by?", "needs": []}]
    with LlmServer(says(RIGHT, questions)) as server:
        found = ask_over_http(server, "compactrag")

    assert [step.id for step in found.steps if step.kind == "sub-question"] == ["1"]
    assert json_bytes(found.as_json())


@pytest.mark.parametrize(
    "attributes",
    [
        {"domain": "open", "dynamism": ["static"]},
        {"domain": ["open"], "dynamism": "static"},
    ],
)
def test_attributes_of_other_types_are_unusable(attributes: Any) -> None:
    found, _ = ask(
        "When was Quenby Lock opened?", attributes=[attributes], answer=[said("1874", [1])]
    )

    assert (found.text, found.strategy) == ("1874", "hybrid")


@pytest.mark.parametrize("reply", ["", "refusal"])
def test_tokens_of_replies_without_an_answer_are_in_the_ledger_and_count_for_the_limit(
    reply: str,
) -> None:
    with LlmServer(says("")) as server:
        if reply:
            server.override = lambda body, _: server.completion(body, "no", "content_filter")
        found = ask_over_http(server, "hashrag", limits=QuestionLimits(tokens=1000))

        assert found.strategy == "extractive"
        assert found.ledger.calls == server.requests > 0
        assert found.ledger.tokens == server.billed > 0
        assert found.ledger.tokens <= 1000


@pytest.mark.parametrize(
    ("error", "calls"),
    [
        (Rejected("llm_deadline"), 0),
        (ServerDown("nobody answers"), 0),
        (BudgetSpent("no tokens are left"), 0),
        (CallRejected("llm_deadline", "", Usage()), 1),
        (CallRejected("llm_refused", "no", Usage(1, 10, 3)), 1),
    ],
    ids=repr,
)
def test_calls_are_conversations_that_were_sent(error: Exception, calls: int) -> None:
    def fails(_: Sequence[Message]) -> str:
        raise error

    pages = fixed_index(Quenby_Lock="Quenby Lock opened in 1874.")
    found = answer("When did Quenby Lock open?", pages, FakeLlm(fails), "hashrag")

    assert (found.strategy, found.ledger.calls) == ("extractive", calls)


def thinks(reply: dict[str, Any], seen: list[int]) -> LlmServer:
    """A server whose LLM writes 500 tokens of drafts before the reply."""

    def override(body: Body, _: int) -> Reply:
        seen.append(body["max_tokens"])
        if body["max_tokens"] < 600:
            return server.completion(body, '<think>Perhaps {"answer": "1874"}? No', "length")
        return server.completion(body, f"<think>1874?</think>{says(reply)(body)}")

    server = LlmServer(lambda _: "", override=override)
    return server


@pytest.mark.parametrize("strategy", ["hashrag", "compactrag"])
def test_an_llm_that_was_cut_off_gets_more_tokens_from_then_on(strategy: str) -> None:
    seen: list[int] = []
    with thinks(RIGHT, seen) as server:
        found = ask_over_http(server, strategy)

    assert (found.strategy, found.text) == (strategy, "3 May 1921")
    assert found.ledger.calls == len(seen) == STRATEGIES[strategy].calls + 1
    assert [most > 600 for most in seen] == [False] + [True] * STRATEGIES[strategy].calls


def test_more_tokens_after_a_cut_stay_within_those_of_the_question() -> None:
    seen: list[int] = []
    with thinks(RIGHT, seen) as server:
        found = ask_over_http(server, "hashrag", limits=QuestionLimits(tokens=1000))

    assert (found.strategy, found.notice) == ("extractive", "hashrag: answer: it was cut off")
    assert found.ledger.tokens <= 1000
    assert len(seen) == 2


def test_the_one_object_of_an_array_is_the_reply() -> None:
    with LlmServer(lambda _: '[{"answer": "3 May 1921", "citations": "1, 2, 3"}]') as server:
        found = ask_over_http(server, "hashrag")

    assert (found.text, found.ledger.calls) == ("3 May 1921", 1)


def test_an_empty_reply_is_asked_for_again_with_the_passages() -> None:
    found, llm = ask(
        "When was Quenby Lock opened?", attributes=[STATIC], answer=["", said("1874", [1])]
    )

    assert "Quenby Lock was opened in 1874" in llm.prompts[-1]
    assert found.text == "1874"


@dataclass
class CutOffLlm:
    """Its first reply is no JSON, and cut off if `truncated`."""

    truncated: bool
    conversations: list[Sequence[Message]] = field(default_factory=list)

    async def complete(
        self,
        messages: Sequence[Message],
        _max_tokens: int,
        _schema: dict[str, Any] | None = None,
        _deadline: float | None = None,
        _step: str = "",
    ) -> Completion:
        self.conversations.append(messages)
        if len(self.conversations) == 1:
            return Completion("I think", self.truncated, Usage(1, 10, 10))
        return Completion('{"answer": "1"}', False, Usage(1, 10, 10))


@pytest.mark.parametrize(("truncated", "messages"), [(True, 1), (False, 3)])
def test_a_reply_that_was_cut_off_is_asked_for_again_without_it(
    truncated: bool, messages: int
) -> None:
    llm = CutOffLlm(truncated)
    session = Session("Who?", fixed_index(Tarn="Tarn."), AnswerTools(llm), QuestionLimits())

    asyncio.run(session.ask("answer", [Message("user", "Who?")], 20, {}, lambda reply: reply))

    assert [len(one) for one in llm.conversations] == [1, messages]

"""The client's dialects of the protocol, its ledger, and what a cancelled call leaves."""

from __future__ import annotations

import asyncio
import time

import pytest

from factmill.models.llm.budget import Budget
from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.completion import CallRejected, Completion, Usage
from factmill.schemas.errors import Rejected
from tests.llm_server import Body, LlmServer, Reply, error
from tests.models.llm.client_calls import (
    QUESTIONS,
    SCHEMA,
    answers,
    ask,
    ask_all,
    echo,
    endpoint,
    run,
    texts_of,
)


@pytest.mark.parametrize(
    ("field", "value", "error_message"),
    [
        ("response_format", "json_schema", "'response_format' of type 'json_schema' is unknown"),
        ("response_format", "json_schema", "bad request"),
        ("response_format", None, "unsupported: structured outputs"),
        ("response_format", None, "bad request"),
        ("seed", None, "Unrecognized request argument supplied: seed"),
        ("seed", None, "bad request"),
        ("temperature", None, "Unsupported value: 'temperature' does not support 0"),
        ("max_tokens", None, "'max_tokens' is not supported, use 'max_completion_tokens' instead"),
        ("max_tokens", None, "bad request"),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_field_that_the_server_does_not_know_is_left_out_once_and_for_all(
    field: str, value: str | None, error_message: str, status: int
) -> None:
    def refuse(body: Body, _: int) -> Reply | None:
        if field not in body or (value and body[field]["type"] != value):
            return None
        return error(status, error_message)

    with LlmServer(echo, override=refuse) as server:
        got = answers(server, QUESTIONS[:10], schema=SCHEMA)

    assert all(isinstance(one, Completion) for one in got)
    assert server.requests <= 10 + 5
    last = server.bodies[-1]
    assert refuse(last, 0) is None
    assert "max_tokens" in last or "max_completion_tokens" in last
    if "bad" not in error_message:
        kept = {"response_format", "seed", "temperature"} - {field}
        assert kept <= set(last), "only what the server named is left out"


@pytest.mark.parametrize(
    ("said", "requests"), [("failed to parse grammar", 2 + 2), ("Internal Server Error", 2 + 2 + 1)]
)
def test_structure_that_breaks_the_server_is_left_out(said: str, requests: int) -> None:
    async def work() -> list[Completion]:
        async with OpenAIClient(endpoint(server, max_attempts=2)) as client:
            return [await ask(client, text, schema=SCHEMA) for text in ("x", "y", "z")]

    with LlmServer(echo) as server:
        server.override = lambda body, _: error(500, said) if "response_format" in body else None
        got = run(work())

    assert [one.text for one in got] == ['{"a": "x"}', '{"a": "y"}', '{"a": "z"}']
    assert server.requests == requests


# The ledger


def test_useless_answers_are_on_the_bill_of_the_call() -> None:
    with LlmServer(echo) as server:
        server.override = lambda body, n: server.completion(body, "") if n < 2 else None

        async def work() -> tuple[Completion, Usage]:
            async with OpenAIClient(endpoint(server)) as client:
                return await ask(client, "x"), client.used

        completion, used = run(work())

    assert completion.usage == used
    assert (used.calls, used.tokens) == (3, server.billed)


def test_ledger_keeps_what_rejected_conversations_took() -> None:
    with LlmServer(echo) as server:
        server.override = lambda body, _: server.completion(body, "")

        async def work() -> Usage:
            async with OpenAIClient(endpoint(server)) as client:
                with pytest.raises(Rejected, match="llm_failed"):
                    await ask(client, "x")
                return client.used

        used = run(work())

    assert (used.calls, used.tokens) == (3, server.billed)


def test_conversation_that_waits_until_its_time_is_over_was_not_sent() -> None:
    async def work() -> list[BaseException]:
        async with OpenAIClient(endpoint(server, in_flight=1)) as client:
            await ask(client)
            server.seconds = 60.0
            deadline = time.monotonic() + 0.2
            asking = (ask(client, text, deadline=deadline) for text in ("x", "y"))
            done = await asyncio.gather(*asking, return_exceptions=True)
            return [one for one in done if isinstance(one, Rejected)]

    with LlmServer(echo) as server:
        kinds = [type(one) for one in run(work())]

    assert kinds == [CallRejected, Rejected]


@pytest.mark.parametrize("attempts", [1, 2])
def test_replies_without_a_content_are_on_the_bill(attempts: int) -> None:
    reply = Reply(body=b'{"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 3}}')
    budget = Budget(10_000)

    async def work() -> tuple[CallRejected, Usage]:
        async with OpenAIClient(endpoint(server, max_attempts=attempts), budget) as client:
            with pytest.raises(CallRejected, match="no choice") as raised:
                await ask(client, "x")
            return raised.value, client.used

    with LlmServer(echo, override=lambda *_: reply) as server:
        rejected, used = run(work())

    assert rejected.usage == used == Usage(attempts, 10 * attempts, 3 * attempts)
    assert budget.spent == used.tokens


def test_usage_is_estimated_when_the_server_does_not_count() -> None:
    reply = Reply(body=b'{"choices": [{"message": {"content": "12345678"}}]}')
    with LlmServer(echo, override=lambda *_: reply) as server:
        (completion,) = answers(server, ["q" * 25])

    assert isinstance(completion, Completion)
    assert completion.usage == Usage(1, 10, 2)  # 15 + 25 and 8 bytes


@pytest.mark.parametrize(
    ("prompt", "completion"),
    [
        ("1" + "0" * 30, "2"), ("1" + "0" * 400, "2"), ("1" + "0" * 5000, "2"), ("0", "2"),
        ("10", "0"), ("-1", "2"), ("true", "2"), ("10.5", "2"), ("10", "1e3"), ("10", "1000000"),
    ],
    ids=lambda figure: figure[:8] + "x" * (len(figure) > 8),
)  # fmt: skip
def test_usage_that_cannot_be_true_is_estimated(prompt: str, completion: str) -> None:
    usage = f'{{"prompt_tokens": {prompt}, "completion_tokens": {completion}}}'
    body = f'{{"choices": [{{"message": {{"content": "12345678"}}}}], "usage": {usage}}}'
    budget = Budget(10_000)
    with LlmServer(echo, override=lambda *_: Reply(body=body.encode())) as server:
        (completed,) = answers(server, ["q" * 25], budget)

    assert isinstance(completed, Completion)
    assert completed.usage == Usage(1, 10, 2)
    assert budget.spent == 12


# Cancelling


def test_cancelled_calls_give_their_slots_back() -> None:
    async def work(server: LlmServer) -> None:
        async with OpenAIClient(endpoint(server, in_flight=2)) as client:
            await ask(client, "warm")
            server.seconds = 60
            hanging = [asyncio.create_task(ask(client, text)) for text in QUESTIONS[:6]]
            while server.most_in_flight < 2:
                await asyncio.sleep(0.002)
            for task in hanging:
                task.cancel()
            done = await asyncio.gather(*hanging, return_exceptions=True)
            assert all(isinstance(one, asyncio.CancelledError) for one in done)
            server.seconds = 0
            assert len(await ask_all(client, QUESTIONS)) == len(QUESTIONS)

    with LlmServer(echo) as server:
        run(work(server))
    assert server.most_in_flight == 2


def test_first_call_cancelled_while_the_server_is_not_ready_others_go_on() -> None:
    async def work(server: LlmServer) -> None:
        async with OpenAIClient(endpoint(server)) as client:
            first = asyncio.create_task(ask(client, "first"))
            second = asyncio.create_task(ask(client, "second"))
            while server.probes < 2:
                await asyncio.sleep(0.005)
            first.cancel()
            server.models = Reply(body=b"{}")
            assert (await second).text == '{"a": "second"}'
            with pytest.raises(asyncio.CancelledError):
                await first

    with LlmServer(echo) as server:
        server.models = error(503, "loading")
        run(work(server))


def test_leaving_while_the_server_is_not_ready_leaves_nothing_behind() -> None:
    async def work(server: LlmServer) -> None:
        tasks = asyncio.all_tasks()
        async with OpenAIClient(endpoint(server)) as client:
            asking = asyncio.create_task(ask(client))
            while server.probes < 1:
                await asyncio.sleep(0.005)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
        assert asyncio.all_tasks() == tasks

    with LlmServer(echo) as server:
        server.models = error(503, "loading")
        run(work(server))


def test_text_that_no_encoding_carries_is_sent_without_it() -> None:
    with LlmServer(echo) as server:
        assert texts_of(answers(server, ["half \ud800 a character"])) == [
            '{"a": "half ? a character"}'
        ]

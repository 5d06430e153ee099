"""The breaker, and the client where the server goes down."""

from __future__ import annotations

import asyncio

import pytest

from factmill.models.llm.circuit_breaker import CircuitBreaker
from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.completion import CallRejected, Completion, Usage
from factmill.models.llm.exchange import PROBE_MESSAGES
from factmill.schemas.errors import OptionError, ServerDown
from tests.llm_server import LlmServer, error
from tests.models.llm.client_calls import (
    QUESTIONS,
    ask,
    ask_all,
    ask_until_answered,
    echo,
    endpoint,
    run,
    texts_of,
)


def test_breaker_opens_after_failures_in_a_row_only() -> None:
    breaker = CircuitBreaker(failure_threshold=3)
    opened = [breaker.record_failure("busy"), breaker.record_failure("busy")]
    breaker.record_success()
    opened += [breaker.record_failure("busy"), breaker.record_failure("busy")]
    assert (opened, breaker.state) == ([False] * 4, "closed")
    assert breaker.record_failure("dead")
    assert (breaker.state, breaker.closed, breaker.last_failure) == ("open", False, "dead")
    assert not breaker.record_failure("dead"), "it is open already"


def test_breaker_is_closed_by_its_probe_and_by_nothing_else() -> None:
    breaker = CircuitBreaker(failure_threshold=1)
    breaker.record_failure("dead")
    breaker.record_success()  # of a request that was sent before
    assert breaker.state == "open"
    breaker.begin_probe()
    assert (breaker.state, breaker.closed) == ("half_open", False)
    breaker.end_probe(succeeded=False)
    assert breaker.state == "open"
    breaker.begin_probe()
    breaker.end_probe(succeeded=True)
    assert breaker.closed


def test_breaker_counts_from_zero_after_its_probe() -> None:
    breaker = CircuitBreaker(failure_threshold=2)
    for _ in range(5):
        breaker.record_failure("dead")
    breaker.begin_probe()
    breaker.end_probe(succeeded=True)
    assert not breaker.record_failure("once")


@pytest.mark.parametrize("in_flight", [1, 4])
def test_no_record_is_lost_while_the_server_is_down(in_flight: int) -> None:
    """It goes away for longer than a deadline and comes back: nothing is rejected."""

    async def work(server: LlmServer) -> tuple[list[Completion | Exception], int]:
        settings = endpoint(
            server,
            in_flight=in_flight,
            request_seconds=0.5,
            deadline_seconds=5.0,
            outage_seconds=60.0,
        )
        async with OpenAIClient(settings) as client:
            asking = asyncio.create_task(ask_all(client, QUESTIONS[:30]))
            while server.requests < 10:
                await asyncio.sleep(0.002)
            await asyncio.to_thread(server.stop)
            sent = server.requests
            while not client._admission.deadlines.is_paused:
                await asyncio.sleep(0.002)
            loop = asyncio.get_running_loop()
            clock = loop.time
            loop.time = lambda: clock() + 10.0  # type: ignore[method-assign]
            for _ in range(5):
                await asyncio.sleep(0.002)
            assert not asking.done()
            await asyncio.to_thread(server.start)
            return await asking, sent

    with LlmServer(echo, seconds=0.01) as server:
        got, sent = run(work(server))

    assert texts_of(got) == [echo({"messages": [{"content": q}]}) for q in QUESTIONS[:30]]
    assert sent < 30
    assert server.requests - 30 <= in_flight + 2, "those that were in flight, and neutral questions"


def test_server_that_stays_down_ends_everything_and_keeps_answers() -> None:
    async def work(server: LlmServer) -> tuple[list[Completion], list[BaseException], Usage]:
        async with OpenAIClient(endpoint(server, outage_seconds=0.3)) as client:
            asking = [asyncio.create_task(ask(client, text)) for text in QUESTIONS]
            while server.requests < 20:
                await asyncio.sleep(0.002)
            await asyncio.to_thread(server.stop)
            done = await asyncio.gather(*asking, return_exceptions=True)
            good = [one for one in done if isinstance(one, Completion)]
            return good, [one for one in done if isinstance(one, BaseException)], client.used

    server = LlmServer(echo, seconds=0.01)
    server.start()
    good, bad, used = run(work(server))

    assert len(good) >= 15
    assert used.calls == len(good)
    assert len(good) + len(bad) == len(QUESTIONS)
    assert {type(one) for one in bad} == {ServerDown}


@pytest.mark.parametrize("was_ready", [False, True])
def test_server_that_comes_back_is_asked_again_after_an_outage_that_is_not_final(
    was_ready: bool,
) -> None:
    async def work(server: LlmServer) -> Completion:
        settings = endpoint(server, outage_seconds=0.5, outage_is_final=False)
        async with OpenAIClient(settings) as client:
            if was_ready:
                await ask(client)
            await asyncio.to_thread(server.stop)
            done = await asyncio.gather(
                *(ask(client, text) for text in QUESTIONS[:8]), return_exceptions=True
            )
            # A request into a connection that is just closed counts as sent.
            assert {type(one) for one in done} - {CallRejected} == {ServerDown}
            assert not client._admission.deadlines.is_paused
            await asyncio.to_thread(server.start)
            return await ask_until_answered(client)

    with LlmServer(echo) as server:
        assert run(work(server)).text == '{"a": "q"}'


def test_refused_key_ends_everything_also_after_an_outage_that_is_not_final() -> None:
    async def work(server: LlmServer) -> None:
        settings = endpoint(server, outage_seconds=0.5, outage_is_final=False)
        async with OpenAIClient(settings) as client:
            server.models = error(503, "loading the model")
            with pytest.raises(ServerDown, match="loading the model"):
                await ask(client)
            server.models = error(401, "bad key")
            with pytest.raises(OptionError, match="bad key"):
                await ask_until_answered(client)
            before = server.probes
            with pytest.raises(OptionError, match="bad key"):
                await ask(client)
            assert (server.probes, server.requests) == (before, 0)

    with LlmServer(echo) as server:
        run(work(server))


def test_server_that_lists_models_but_fails_every_question_is_down() -> None:
    async def work(server: LlmServer) -> None:
        async with OpenAIClient(endpoint(server, outage_seconds=0.5)) as client:
            await ask(client)
            server.override = lambda *_: error(500, "the engine is dead")
            done = await asyncio.gather(
                *(ask(client, text) for text in QUESTIONS), return_exceptions=True
            )
            assert {type(one) for one in done} == {ServerDown}
            assert "the engine is dead" in str(done[0])

    with LlmServer(echo) as server:
        run(work(server))
    neutral = [
        body
        for body in server.bodies
        if body["messages"][0]["content"] == PROBE_MESSAGES[0].content
    ]
    assert server.requests - len(neutral) <= 1 + 5 + 4

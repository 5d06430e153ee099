"""The client where the server is busy, down or not there yet: who waits, and for how long."""

from __future__ import annotations

import asyncio
import time
from email.utils import formatdate

import pytest

from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.completion import Completion, Usage
from factmill.models.llm.exchange import NEUTRAL
from factmill.schemas.errors import Rejected, ServerDown
from tests.llm_server import Body, LlmServer, Reply, error
from tests.models.llm.asking import (
    QUESTIONS,
    answers,
    ask,
    ask_all,
    echo,
    endpoint,
    run,
    texts_of,
)


@pytest.mark.parametrize("as_date", [False, True])
def test_retry_after_holds_everybody_back(as_date: bool) -> None:
    limited: list[float] = []

    def limit(body: Body, attempt: int) -> Reply | None:
        if attempt or body["messages"][-1]["content"] != QUESTIONS[4]:
            return None
        limited.append(time.monotonic())
        # A date has whole seconds: two from now are between one and two.
        wait = formatdate(time.time() + 2, usegmt=True) if as_date else "1"
        return error(429, "slower", {"Retry-After": wait})

    with LlmServer(echo, override=limit, seconds=0.01) as server:
        got = answers(server, QUESTIONS[:20])

    assert all(isinstance(one, Completion) for one in got)
    in_flight_then = 4
    later = [t - limited[0] for t in server.times if t > limited[0] + 0.05]
    assert len(later) >= 20 - 5 - in_flight_then, "most came after it"
    assert min(later) >= 0.95


def test_retry_after_beyond_the_patience_ends_everything_at_once() -> None:
    reply = error(429, "come back tomorrow", {"Retry-After": "86400"})
    with LlmServer(echo, override=lambda *_: reply) as server:
        with pytest.raises(ServerDown, match="86,400 s"):
            answers(server, QUESTIONS)
        assert server.requests == 1


def test_deadline_ends_the_call() -> None:
    with LlmServer(echo, override=lambda *_: error(503, "busy")) as server:

        async def work() -> tuple[Rejected, float]:
            async with OpenAIClient(endpoint(server)) as client:
                server.override = None
                await ask(client)
                server.override = lambda *_: error(429, "slower", {"Retry-After": "4"})
                began = time.monotonic()
                with pytest.raises(Rejected) as raised:
                    await ask(client, "late", deadline=began + 0.2)
                return raised.value, time.monotonic() - began

        rejected, seconds = run(work())

    assert rejected.reason == "llm_deadline"
    assert "slower" in rejected.detail
    assert 0.15 < seconds < 2


def test_deadline_of_the_endpoint_ends_the_call() -> None:
    def hang(body: Body, _: int) -> Reply | None:
        return Reply(seconds=60) if "late" in str(body) else None

    with LlmServer(echo, override=hang) as server:
        limits = {"request_seconds": 0.1, "deadline_seconds": 0.4, "attempts": 1000}
        (got,) = answers(server, ["late"], **limits)

    assert isinstance(got, Rejected)
    assert got.reason == "llm_deadline"


def test_busy_server_does_not_use_up_the_attempts() -> None:
    def busy(body: Body, attempt: int) -> Reply | None:
        is_ours = body["messages"][-1]["content"] == "x"
        return error(429, "slower") if is_ours and attempt < 12 else None

    with LlmServer(echo, override=busy) as server:
        assert texts_of(answers(server, ["x"], attempts=3)) == ['{"a": "x"}']


def test_deadline_in_the_past_sends_nothing() -> None:
    async def work(server: LlmServer) -> None:
        async with OpenAIClient(endpoint(server)) as client:
            with pytest.raises(Rejected, match="llm_deadline"):
                await ask(client, deadline=time.monotonic() - 1)

    with LlmServer(echo) as server:
        run(work(server))
    assert server.requests == 0


def test_deadline_of_the_endpoint_does_not_run_in_the_queue() -> None:
    with LlmServer(echo, seconds=0.1) as server:
        got = answers(server, QUESTIONS[:12], in_flight=1, deadline_seconds=1.0)

    assert all(isinstance(one, Completion) for one in got)


# Servers that are not there


def test_server_that_becomes_ready_later_is_waited_for() -> None:
    async def work(server: LlmServer) -> list[Completion | Exception]:
        async with OpenAIClient(endpoint(server)) as client:
            asking = asyncio.create_task(ask_all(client, QUESTIONS[:8]))
            while server.probes < 3:
                await asyncio.sleep(0.005)
            assert server.requests == 0
            server.models = Reply(body=b'{"data": []}')
            return await asking

    with LlmServer(echo) as server:
        server.models = error(503, "loading the model")
        got = run(work(server))

    assert all(isinstance(one, Completion) for one in got)


@pytest.mark.parametrize("status", [404, 405, 501])
def test_server_without_a_list_of_models_counts_as_ready(status: int) -> None:
    with LlmServer(echo) as server:
        server.models = error(status, "no such path")
        assert texts_of(answers(server, ["x"])) == ['{"a": "x"}']


def test_server_that_never_comes_ends_everything_after_the_patience() -> None:
    server = LlmServer(echo)
    with server:
        pass
    began = time.monotonic()
    with pytest.raises(ServerDown, match="does not answer"):
        answers(server, QUESTIONS, patience_seconds=0.3)
    assert 0.25 < time.monotonic() - began < 3


def test_hanging_server_ends_everything_after_the_patience() -> None:
    with LlmServer(echo) as server:
        server.models = Reply(seconds=60)
        with pytest.raises(ServerDown):
            answers(server, QUESTIONS, patience_seconds=0.3)


@pytest.mark.parametrize("in_flight", [1, 4])
def test_no_record_is_lost_while_the_server_is_down(in_flight: int) -> None:
    """It goes away for longer than a deadline and comes back: nothing is rejected."""

    async def work(server: LlmServer) -> tuple[list[Completion | Exception], int]:
        settings = endpoint(
            server,
            in_flight=in_flight,
            request_seconds=0.5,
            deadline_seconds=1.0,
            patience_seconds=20.0,
        )
        async with OpenAIClient(settings) as client:
            asking = asyncio.create_task(ask_all(client, QUESTIONS[:30]))
            while server.requests < 10:
                await asyncio.sleep(0.002)
            await asyncio.to_thread(server.stop)
            sent = server.requests
            await asyncio.sleep(1.2)  # the outage is what is tested
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
        async with OpenAIClient(endpoint(server, patience_seconds=0.3)) as client:
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


def test_server_that_lists_models_but_fails_every_question_is_down() -> None:
    async def work(server: LlmServer) -> None:
        async with OpenAIClient(endpoint(server, patience_seconds=0.5)) as client:
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
        body for body in server.bodies if body["messages"][0]["content"] == NEUTRAL[0].content
    ]
    assert server.requests - len(neutral) <= 1 + 5 + 4

"""How long a call may take, and which time does not count."""

from __future__ import annotations

import time

import pytest

from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.completion import Completion
from factmill.schemas.errors import Rejected
from tests.llm_server import Body, LlmServer, Reply, error
from tests.models.llm.client_calls import (
    QUESTIONS,
    answers,
    ask,
    echo,
    endpoint,
    run,
    texts_of,
)


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
        limits = {"request_seconds": 0.1, "deadline_seconds": 0.4, "max_attempts": 1000}
        (got,) = answers(server, ["late"], **limits)

    assert isinstance(got, Rejected)
    assert got.reason == "llm_deadline"


def test_busy_server_does_not_use_up_the_attempts() -> None:
    def busy(body: Body, attempt: int) -> Reply | None:
        is_ours = body["messages"][-1]["content"] == "x"
        return error(429, "slower") if is_ours and attempt < 12 else None

    with LlmServer(echo, override=busy) as server:
        assert texts_of(answers(server, ["x"], max_attempts=3)) == ['{"a": "x"}']


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

    assert [type(one) for one in got] == [Completion] * 12

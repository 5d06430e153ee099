"""The header Retry-After: what it says, and that it holds everybody back."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from factmill.models.llm.admission import Admission
from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.completion import CallRejected, Completion
from factmill.models.llm.rate_limit import RateLimit, retry_after_seconds
from factmill.models.llm.retry_policy import RetryPolicy
from factmill.schemas.errors import Rejected, ServerDown
from tests.llm_server import Body, LlmServer, Reply, error
from tests.models.llm.client_calls import (
    QUESTIONS,
    answers,
    ask,
    ask_until_answered,
    echo,
    endpoint,
    run,
)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0), ("0.5", 0.5), ("-1", 0.0), ("", None), ("soon", None), ("nan", None),
        ("inf", None), ("1e999", None), (None, None), ("Tue, 99 Nov 2026 99:99:99 GMT", None),
        ("Mon, 01 Jan 1990 00:00:00 GMT", 0.0),
    ],
)  # fmt: skip
def test_retry_after(header: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(header) == seconds


def test_retry_after_as_a_date() -> None:
    seconds = retry_after_seconds(formatdate(time.time() + 30, usegmt=True))
    assert seconds is not None
    assert 28 < seconds <= 30


def test_retry_after_as_seconds_since_1970() -> None:
    seconds = retry_after_seconds(str(time.time() + 30))
    assert seconds is not None
    assert 28 < seconds <= 30


@pytest.mark.parametrize(("is_final", "longest"), [(True, 1e8), (False, 3600)])
def test_a_wait_of_years_ends_a_build_and_no_service(is_final: bool, longest: float) -> None:
    policy = RetryPolicy(outage_is_final=is_final)
    admission = Admission(always_ready, policy, "http://host/v1")

    assert "100,000,000 s" in str(admission.defer(1e8))
    assert longest - 60 < admission._rate_limit.seconds_left <= longest


async def always_ready(_: bool) -> bool:
    return True


def test_rate_limit_keeps_the_later_of_two_times() -> None:
    limit = RateLimit()
    assert limit.seconds_left <= 0
    limit.defer(100)
    limit.defer(1)
    assert 99 < limit.seconds_left <= 100


def test_retry_after_holds_everybody_back() -> None:
    limited: list[float] = []

    def limit(body: Body, attempt: int) -> Reply | None:
        if attempt or body["messages"][-1]["content"] != QUESTIONS[4]:
            return None
        limited.append(time.monotonic())
        return error(429, "slower", {"Retry-After": "0.3"})

    with LlmServer(echo, override=limit, seconds=0.01) as server:
        got = answers(server, QUESTIONS[:20])

    assert all(isinstance(one, Completion) for one in got)
    in_flight_then = 4
    after = sorted(t - limited[0] for t in server.times if t > limited[0])
    later = after[in_flight_then:]
    assert len(later) >= 20 - 5 - in_flight_then, "most came after it"
    assert min(later) >= 0.28


def test_retry_after_beyond_an_outage_ends_everything_at_once() -> None:
    reply = error(429, "come back tomorrow", {"Retry-After": "86400"})
    with LlmServer(echo, override=lambda *_: reply) as server:
        with pytest.raises(ServerDown, match=r"127.0.0.1:\d+/v1 .*86,400 s"):
            answers(server, QUESTIONS)
        assert server.requests == 1


def test_retry_after_beyond_an_outage_that_is_not_final_ends_calls_until_the_wait_is_over() -> None:
    async def work(server: LlmServer) -> tuple[float, Completion]:
        settings = endpoint(server, outage_seconds=0.5, outage_is_final=False)
        async with OpenAIClient(settings) as client:
            with pytest.raises(CallRejected, match="wants a wait"):
                await ask(client, "x")
            with pytest.raises(ServerDown, match="wants a wait"):
                await ask(client, "y")
            assert server.requests == 1
            return server.times[0], await ask_until_answered(client)

    reply = error(429, "slower", {"Retry-After": "1"})
    with LlmServer(echo, override=lambda *_: None if server.requests > 1 else reply) as server:
        refused_at, found = run(work(server))

    assert found.text == '{"a": "q"}'
    assert server.times[1] - refused_at >= 0.98


@pytest.mark.parametrize("header", ["0", "-5", "Mon, 01 Jan 1990 00:00:00 GMT"])
def test_server_that_asks_for_no_wait_is_not_hammered(header: str) -> None:
    """Requests are limited by our own back-off, and so are the probes, which are paid for."""
    reply = error(429, "slower", {"Retry-After": header})

    def limit(body: Body, _: int) -> Reply | None:
        return reply if body["messages"][-1]["content"] in QUESTIONS else None

    waits = {"backoff_seconds": 0.1, "max_backoff_seconds": 0.4}
    with LlmServer(echo, override=limit) as server:
        got = answers(server, QUESTIONS[:3], deadline_seconds=1.0, **waits)

    assert {one.reason for one in got if isinstance(one, Rejected)} == {"llm_deadline"}
    probes = sum(body["messages"][-1]["content"] not in QUESTIONS for body in server.bodies)
    assert server.requests - probes < 60
    assert probes < 12


def test_many_conversations_that_are_always_deferred_end_at_their_deadline() -> None:
    """The breaker opens again and again; its waits do not stop the deadlines."""

    def limit(body: Body, _: int) -> Reply | None:
        is_ours = body["messages"][-1]["content"] in QUESTIONS
        return error(429, "slower", {"Retry-After": "0.05"}) if is_ours else None

    with LlmServer(echo, override=limit) as server:
        got = answers(server, QUESTIONS[:16], deadline_seconds=0.5, in_flight=16)

    assert {one.reason for one in got if isinstance(one, Rejected)} == {"llm_deadline"}

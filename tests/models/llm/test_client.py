"""The client against a real HTTP server: answers, bounds, and what is repeated."""

from __future__ import annotations

import json

import pytest

from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.completion import Completion
from factmill.schemas.errors import Rejected
from tests.llm_server import NO_ANSWER, Body, Faults, LlmServer, Reply, error
from tests.models.llm.client_calls import (
    QUESTIONS,
    SCHEMA,
    answers,
    ask,
    echo,
    endpoint,
    first_times,
    outcome,
    run,
    texts_of,
)


def test_answers_are_what_the_server_wrote() -> None:
    with LlmServer(echo) as server:
        assert texts_of(answers(server, ["x", "y"])) == ['{"a": "x"}', '{"a": "y"}']


def test_request_carries_messages_schema_and_settings() -> None:
    with LlmServer(echo) as server:
        answers(server, ["x"], schema=SCHEMA)

        body = server.bodies[0]
    assert body["model"] == "tiny"
    assert body["messages"] == [
        {"role": "system", "content": "Answer in JSON."},
        {"role": "user", "content": "x"},
    ]
    assert (body["max_tokens"], body["temperature"], body["seed"]) == (50, 0, 0)
    structure = body["response_format"]["json_schema"]
    assert (structure["schema"], structure["strict"]) == (SCHEMA, True)


def test_truncated_answer_is_marked_and_not_repeated() -> None:
    with LlmServer(echo) as server:
        server.override = lambda body, _: server.completion(body, "half", "length")
        (completion,) = answers(server, ["x"])

    assert isinstance(completion, Completion)
    assert (completion.text, completion.truncated) == ("half", True)
    assert server.requests == 1


def test_answer_that_is_all_reasoning_is_not_repeated() -> None:
    with LlmServer(echo) as server:
        server.override = lambda body, _: server.completion(body, None, "length")
        (completion,) = answers(server, ["x"])

    assert isinstance(completion, Completion)
    assert (completion.text, completion.truncated, server.requests) == ("", True, 1)


def test_thirty_percent_faults_every_answer_arrives_within_the_bound() -> None:
    with LlmServer(echo, Faults(0.3, NO_ANSWER, seed=1), seconds=0.002) as server:
        got = answers(server, QUESTIONS, request_seconds=2.0, deadline_seconds=25.0)

    assert texts_of(got) == [echo({"messages": [{"content": q}]}) for q in QUESTIONS]
    assert len(server.faulty) == len(NO_ANSWER), "the draw holds every kind"
    assert server.most_in_flight <= 4


def test_only_what_failed_is_asked_again() -> None:
    """No fault is slow here: a machine that stands still a while comes near no time limit."""
    kinds = tuple(kind for kind in NO_ANSWER if kind != "slow")
    with LlmServer(echo, Faults(0.3, kinds, seed=1), seconds=0.002) as server:
        answers(server, QUESTIONS, request_seconds=20.0, deadline_seconds=25.0)

    assert len(server.faulty) == len(kinds), "the draw holds every kind"
    assert server.requests == len(QUESTIONS) + sum(server.faulty.values())


def test_in_flight_bound_is_used_and_kept() -> None:
    with LlmServer(echo, seconds=0.2) as server:
        answers(server, QUESTIONS[:20], in_flight=7)

    assert server.most_in_flight == 7


def test_first_request_goes_alone_until_it_is_answered() -> None:
    together: list[int] = []
    with LlmServer(echo, seconds=0.05) as server:
        server.override = lambda *_: together.append(server.most_in_flight)
        answers(server, QUESTIONS[:8], in_flight=8)

    assert together[0] == 1
    assert server.times[1] - server.times[0] >= 0.05
    assert server.most_in_flight > 1


def test_first_request_that_takes_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow server refuses at once what it does not take: the others need not wait for it."""
    monkeypatch.setattr("factmill.models.llm.client._SECONDS_TO_REFUSE", 0.02)
    with LlmServer(echo, seconds=0.5) as server:
        answers(server, QUESTIONS[:4], in_flight=4)

    assert server.most_in_flight == 4


def test_one_connection_pool_serves_all_requests() -> None:
    with LlmServer(echo, seconds=0.002) as server:
        answers(server, QUESTIONS, in_flight=4)

    assert server.connections <= 5  # one may be the readiness probe's


@pytest.mark.parametrize(
    "reply",
    [
        error(408, "timeout"), error(409, "conflict"), error(425, "early"), error(429, "slower"),
        error(500, "oops"), error(502, "gateway"), error(503, "busy"), error(529, "overloaded"),
        Reply(close_after=-1),
        Reply(body=b'{"choices": [{"message": {"content": "half a body"}}]}', close_after=20),
        Reply(body=b'{"choices": [{"mess'),
        Reply(body=b""),
        Reply(body=b"[]"),
        Reply(body=b"<html>Please log in</html>"),
        Reply(body=b"[" * 100_000),
        Reply(body=b'{"choices": []}'),
        Reply(body=b'{"choices": [{"message": null}]}'),
        Reply(body=b'{"choices": [{"message": {"content": null}}]}'),
        Reply(body=b'{"choices": [{"message": {"content": ["x"]}}]}'),
        Reply(body=b'{"choices": [{"message": {"content": " \\n"}}]}'),
        Reply(body=b'{"error": {"message": "upstream failed"}}'),
        Reply(body=b"packed?", headers={"Content-Encoding": "gzip"}),
    ],
    ids=lambda reply: f"{reply.status} {reply.body[:44].decode()} {reply.close_after or ''}",
)  # fmt: skip
def test_what_passes_is_asked_again(reply: Reply) -> None:
    with LlmServer(echo, override=first_times(reply, 2)) as server:
        assert texts_of(answers(server, ["x"])) == ['{"a": "x"}']
        assert server.requests == 3


def test_slow_answer_is_given_up_and_asked_again() -> None:
    with LlmServer(echo, override=first_times(Reply(seconds=60))) as server:
        assert texts_of(answers(server, ["x"], request_seconds=0.1)) == ['{"a": "x"}']


@pytest.mark.parametrize("status", [200, 400, 500])
def test_endless_body_is_cut_off(status: int) -> None:
    body = b'{"choices": [{"message": {"content": "huge"}}]}' + b" " * (5 << 20)
    huge = Reply(status, body)
    with LlmServer(echo, override=first_times(huge)) as server:
        assert texts_of(answers(server, ["x"])) == ['{"a": "x"}']


def test_body_of_tiny_parts_is_cut_off() -> None:
    content = b'{"choices": [{"message": {"content": "long"}}]}'
    parts = b"%x\r\n%s\r\n" % (len(content), content) + b"1\r\n \r\n" * 100_000 + b"0\r\n\r\n"
    long = Reply(body=parts, headers={"Transfer-Encoding": "chunked"})
    with LlmServer(echo, override=first_times(long)) as server:
        assert texts_of(answers(server, ["x"])) == ['{"a": "x"}']


def test_failing_conversation_is_rejected_and_others_are_answered() -> None:
    def poison(body: Body, _: int) -> Reply | None:
        return error(500, "this one kills me") if "poison" in str(body) else None

    with LlmServer(echo, override=poison) as server:
        got = answers(server, ["x", "poison", "y"], max_attempts=3)

    assert texts_of(got)[::2] == ['{"a": "x"}', '{"a": "y"}']
    assert isinstance(got[1], Rejected)
    assert (got[1].reason, server.asked.most_common(1)[0][1]) == ("llm_failed", 3)
    assert "this one kills me" in got[1].detail


def test_empty_answers_are_paid_three_times_at_most() -> None:
    with LlmServer(echo) as server:
        server.override = lambda body, _: server.completion(body, "")
        (got,) = answers(server, ["x"], max_attempts=8)

    assert isinstance(got, Rejected)
    assert (got.reason, server.requests) == ("llm_failed", 3)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_refused_conversation_is_rejected_without_repetition(status: int) -> None:
    def refuse(body: Body, _: int) -> Reply | None:
        return error(status, "too long\nfor me") if "long" in str(body) else None

    async def work(server: LlmServer) -> tuple[Completion | Exception, int]:
        async with OpenAIClient(endpoint(server)) as client:
            await ask(client, "x")
            before = server.requests
            return await outcome(client, "long"), server.requests - before

    with LlmServer(echo, override=refuse) as server:
        got, requests = run(work(server))

    assert isinstance(got, Rejected)
    assert (got.reason, requests) == ("llm_refused", 1)
    assert got.detail.startswith(str(status))
    assert "too long for me" in got.detail


def test_first_conversation_refused_does_not_end_or_degrade_the_run() -> None:
    def refuse(body: Body, _: int) -> Reply | None:
        return error(400, "too long") if "long" in str(body) else None

    with LlmServer(echo, override=refuse) as server:
        first, *rest = answers(server, ["long", "x", "y"], schema=SCHEMA)

    assert isinstance(first, Rejected)
    assert texts_of(rest) == ['{"a": "x"}', '{"a": "y"}']
    assert server.bodies[-1]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize("finish", ["content_filter", "stop"])
def test_filtered_answer_is_rejected_without_repetition(finish: str) -> None:
    message = {"content": None, "refusal": None if finish == "content_filter" else "I won't."}
    body = json.dumps({"choices": [{"message": message, "finish_reason": finish}]}).encode()
    with LlmServer(echo, override=lambda *_: Reply(body=body)) as server:
        (got,) = answers(server, ["x"])

    assert isinstance(got, Rejected)
    assert (got.reason, server.requests) == ("llm_refused", 1)

"""The client against a real HTTP server that misbehaves in every way that servers do."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import time
from email.utils import formatdate

import pytest

from models.llm.client import OpenAIClient
from models.llm.completion import Completion, Usage
from models.llm.exchange import NEUTRAL
from schemas.errors import MissingExtra, OptionError, Rejected, ServerDown
from tests.llm_server import NO_ANSWER, Body, Faults, LlmServer, Reply, error
from tests.models.llm.asking import SCHEMA, answers, ask, ask_all, echo, endpoint, outcome, run

QUESTIONS = [f"question {n}" for n in range(60)]


def texts_of(outcomes: list[Completion | Exception]) -> list[str]:
    return [o.text if isinstance(o, Completion) else f"{type(o).__name__} {o}" for o in outcomes]


def first_times(reply: Reply, times: int = 1):  # type: ignore[no-untyped-def]
    """An override that replies so to the first requests of each conversation."""
    return lambda _, attempt: reply if attempt < times else None


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
    faults = Faults(0.3, NO_ANSWER, seed=1)
    with LlmServer(echo, faults, seconds=0.002) as server:
        got = answers(server, QUESTIONS, request_seconds=1.0)

    assert texts_of(got) == [echo({"messages": [{"content": q}]}) for q in QUESTIONS]
    assert len(server.faulty) == len(NO_ANSWER), "the draw holds every kind"
    assert server.most_in_flight <= 4
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


def test_first_request_that_takes_long_is_not_waited_for() -> None:
    """A slow server refuses at once what it does not take: the others need not wait for it."""
    with LlmServer(echo, seconds=2.5) as server:
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


def test_endless_body_is_cut_off() -> None:
    body = b'{"choices": [{"message": {"content": "huge"}}]}' + b" " * (5 << 20)
    huge = Reply(body=body)
    with LlmServer(echo, override=first_times(huge)) as server:
        assert texts_of(answers(server, ["x"])) == ['{"a": "x"}']


def test_failing_conversation_is_rejected_and_others_are_answered() -> None:
    def poison(body: Body, _: int) -> Reply | None:
        return error(500, "this one kills me") if "poison" in str(body) else None

    with LlmServer(echo, override=poison) as server:
        got = answers(server, ["x", "poison", "y"], attempts=3)

    assert texts_of(got)[::2] == ['{"a": "x"}', '{"a": "y"}']
    assert isinstance(got[1], Rejected)
    assert (got[1].reason, server.asked.most_common(1)[0][1]) == ("llm_failed", 3)
    assert "this one kills me" in got[1].detail


def test_empty_answers_are_paid_three_times_at_most() -> None:
    with LlmServer(echo) as server:
        server.override = lambda body, _: server.completion(body, "")
        (got,) = answers(server, ["x"], attempts=8)

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


# Errors that would reject everything


@pytest.mark.parametrize(
    "reply",
    [
        error(401, "bad key"), error(403, "no"), error(404, "no model 'tiny'"),
        error(405, "not here"), error(400, "not a valid model ID"),
        Reply(301, headers={"Location": "https://elsewhere.example/v1"}),
        Reply(307, headers={"Location": "/v2"}),
    ],
    ids=lambda reply: reply.status,
)  # fmt: skip
def test_wrong_key_model_or_address_ends_everything_in_a_few_requests(reply: Reply) -> None:
    with LlmServer(echo, override=lambda *_: reply) as server:
        with pytest.raises(OptionError) as raised:
            answers(server, QUESTIONS)

        assert server.requests <= 12
    assert "\n" not in str(raised.value)


def test_wrong_key_is_seen_before_the_first_request() -> None:
    with LlmServer(echo) as server:
        server.models = error(401, "bad key")
        with pytest.raises(OptionError, match=r"OPENAI_API_KEY.*bad key"):
            answers(server, QUESTIONS)

        assert server.requests == 0


def test_quota_used_up_ends_the_build_at_once() -> None:
    reply = error(429, "You exceeded your quota", code="insufficient_quota")
    with LlmServer(echo, override=lambda *_: reply) as server:
        with pytest.raises(ServerDown, match="exceeded your quota"):
            answers(server, QUESTIONS)

        assert server.requests == 1


def test_firewall_refuses_one_conversation_others_go_on() -> None:
    def firewall(body: Body, _: int) -> Reply | None:
        return Reply(403, b"<html>Blocked</html>") if "DROP TABLE" in str(body) else None

    with LlmServer(echo, override=firewall) as server:
        got = answers(server, ["x", "'; DROP TABLE users", "y"])

    assert texts_of(got)[::2] == ['{"a": "x"}', '{"a": "y"}']
    assert isinstance(got[1], Rejected)
    assert got[1].reason == "llm_refused"


def test_model_that_vanishes_ends_everything() -> None:
    async def work(server: LlmServer) -> None:
        async with OpenAIClient(endpoint(server)) as client:
            await ask(client, "x")
            server.override = lambda *_: error(404, "no such model")
            with pytest.raises(OptionError, match="no such model"):
                await ask(client, "y")
            before = server.requests
            with pytest.raises(OptionError, match="no such model"):
                await ask(client, "z")
            assert server.requests == before

    with LlmServer(echo) as server:
        run(work(server))


def test_server_that_refuses_everybody_later_ends_everything_in_a_few_requests() -> None:
    async def work(server: LlmServer) -> None:
        async with OpenAIClient(endpoint(server)) as client:
            await ask(client, "x")
            server.override = lambda *_: error(400, "the model is not deployed any more")
            done = await asyncio.gather(
                *(ask(client, text) for text in QUESTIONS), return_exceptions=True
            )
            kinds = [type(one) for one in done]
            assert set(kinds) == {Rejected, OptionError}
            assert kinds.count(Rejected) <= 4

    with LlmServer(echo) as server:
        run(work(server))
    assert server.requests <= 20


# The key


@pytest.mark.parametrize("package", ["openai", "tenacity"])
def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "models.llm.client")

    with pytest.raises(MissingExtra, match=rf"{package} is not .*factmill\[llm\]"):
        importlib.import_module("models.llm.client")


def test_key_is_sent_and_appears_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    key = "sk-very-secret"
    monkeypatch.setenv("OPENAI_API_KEY", f"{key}\n")
    caplog.set_level("DEBUG")

    def parrot(body: Body, _: int) -> Reply:
        if "refused" in str(body):
            return error(400, f"Authorization was Bearer {key}")
        return Reply(401, f"key {key} is wrong".encode())

    with LlmServer(echo) as server:
        assert key not in repr(endpoint(server))

        async def work() -> list[Exception]:
            caught: list[Exception] = []
            async with OpenAIClient(endpoint(server)) as client:
                assert key not in repr(client)
                await ask(client)
                server.override = parrot
                for text in ("refused", "x"):
                    try:
                        await ask(client, text)
                    except (Rejected, OptionError) as error:
                        caught.append(error)
            return caught

        errors = run(work())

    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {key}"}
    assert len(errors) == 2
    for raised in errors:
        assert "***" in str(raised)
        assert key not in f"{raised!r} {raised.__dict__} {raised.__cause__!r}"
    assert key not in caplog.text


def test_without_a_key_no_authorization_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin")
    with LlmServer(echo) as server:
        answers(server, ["x"])

    assert all("authorization" not in headers for headers in server.headers)


def test_key_of_several_lines_is_an_option_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one\nsk-two")
    with LlmServer(echo) as server, pytest.raises(OptionError) as raised:
        OpenAIClient(endpoint(server))
    assert "sk-one" not in str(raised.value)


def test_local_server_is_not_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with LlmServer(echo) as server:
        assert texts_of(answers(server, ["x"])) == ['{"a": "x"}']


# Waiting


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


# Dialects


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("response_format", "json_schema", "'response_format' of type 'json_schema' is unknown"),
        ("response_format", "json_schema", "bad request"),
        ("response_format", None, "unsupported: structured outputs"),
        ("seed", None, "Unrecognized request argument supplied: seed"),
        ("seed", None, "bad request"),
        ("temperature", None, "Unsupported value: 'temperature' does not support 0"),
        ("max_tokens", None, "'max_tokens' is not supported, use 'max_completion_tokens' instead"),
        ("max_tokens", None, "bad request"),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_field_that_the_server_does_not_know_is_left_out_once_and_for_all(
    field: str, value: str | None, complaint: str, status: int
) -> None:
    def refuse(body: Body, _: int) -> Reply | None:
        if field not in body or (value and body[field]["type"] != value):
            return None
        return error(status, complaint)

    with LlmServer(echo, override=refuse) as server:
        got = answers(server, QUESTIONS[:10], schema=SCHEMA)

    assert all(isinstance(one, Completion) for one in got)
    assert server.requests <= 10 + 5
    last = server.bodies[-1]
    assert refuse(last, 0) is None
    assert "max_tokens" in last or "max_completion_tokens" in last
    if "bad" not in complaint:
        kept = {"response_format", "seed", "temperature"} - {field}
        assert kept <= set(last), "only what the server named is left out"


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


def test_usage_is_estimated_when_the_server_does_not_count() -> None:
    reply = Reply(body=b'{"choices": [{"message": {"content": "12345678"}}]}')
    with LlmServer(echo, override=lambda *_: reply) as server:
        (completion,) = answers(server, ["q" * 25])

    assert isinstance(completion, Completion)
    assert completion.usage == Usage(1, 10, 2)  # 15 + 25 and 8 bytes


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

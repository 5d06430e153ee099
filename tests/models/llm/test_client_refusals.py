"""The client where the server takes no requests: the key, the model, the address."""

from __future__ import annotations

import asyncio
import importlib
import sys

import pytest

from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.completion import CallRejected
from factmill.schemas.errors import MissingExtra, OptionError, Rejected, ServerDown
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


@pytest.mark.parametrize(
    "reply", [error(401, "bad key"), error(402, "pay"), Reply(302), error(404, "no model 'tiny'")],
    ids=lambda reply: reply.status,
)  # fmt: skip
def test_refusal_that_is_not_final_passes(reply: Reply, caplog: pytest.LogCaptureFixture) -> None:
    async def until_answered(client: OpenAIClient) -> str:
        while True:
            try:
                return (await ask(client)).text
            except (Rejected, ServerDown):
                server.override, server.models = None, models
                await asyncio.sleep(0)

    async def conversation() -> list[str]:
        settings = endpoint(server, refusal_is_final=False, outage_is_final=False)
        async with OpenAIClient(settings) as client:
            at_first = await until_answered(client)
            server.override = lambda *_: reply
            return [at_first, await until_answered(client)]

    with LlmServer(echo, override=lambda *_: reply) as server:
        models, server.models = server.models, reply
        assert run(conversation()) == ['{"a": "q"}'] * 2
    assert str(reply.status) in caplog.text


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
            assert set(kinds) == {CallRejected, OptionError}
            assert kinds.count(CallRejected) <= 4

    with LlmServer(echo) as server:
        run(work(server))
    assert server.requests <= 20


# The key


@pytest.mark.parametrize("package", ["openai", "tenacity"])
def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "factmill.models.llm.client")

    with pytest.raises(MissingExtra, match=rf"{package} is not .*factmill\[llm\]"):
        importlib.import_module("factmill.models.llm.client")


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

    assert server.headers
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


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_key_is_not_sent_where_a_server_redirects_to(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-the-test")
    with LlmServer(echo) as elsewhere, LlmServer(echo) as server:
        target = f"{elsewhere.url}/chat/completions"
        server.override = lambda *_: Reply(status, headers={"Location": target})
        with pytest.raises(OptionError, match="redirects"):
            answers(server, ["x"])

        assert server.headers[-1]["authorization"] == "Bearer secret-of-the-test"
        assert elsewhere.connections == 0

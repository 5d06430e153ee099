"""Requests that no honest client sends: each ends with a 4xx or closed, and others are answered."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import httpx
import pytest

from factmill.runtime.service.service_settings import ServiceSettings
from factmill.runtime.service.service_state import Service
from tests.runtime.service.live_service import connect, live_service, response_to

JSON = {"content-type": "application/json"}
HEAD = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
MEGABYTES_100 = 100_000_000


@pytest.fixture(autouse=True)
def answers_others(client: httpx.Client) -> Iterator[None]:
    """After whatever a test sends, another client gets its answer."""
    yield
    with httpx.Client(base_url=client.base_url, timeout=10, trust_env=False) as other:
        assert other.post("/v1/search", json={"query": "ferry"}).status_code == 200


def status(response: bytes) -> int:
    """Of the response; 0 when the connection was closed without one."""
    return int(response.split()[1]) if response else 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b'"text"',
        b"[" * 100_000,
        b'{"query":' * 100_000,
        b"[" * 400_000 + b"]" * 400_000,
        b'{"query": "\xff\xfe"}',
        b'{"query": "\\ud800"}',
        b'{"query": "a", "k": ' + b"9" * 40_000 + b"}",
        b'{"query": NaN}',
        b"\x00" * 100,
        '{"query": "a"}'.encode("utf-16"),
    ],
)
def test_body_that_is_no_such_document_is_refused(client: httpx.Client, body: bytes) -> None:
    for path in ("/v1/search", "/v1/answer", "/v1/chat/completions"):
        found = client.post(path, content=body, headers=JSON)
        assert found.status_code in (400, 422), path
        assert found.headers["content-type"] == "application/problem+json"


def test_json_of_any_depth_within_a_field_that_is_ignored_is_refused(client: httpx.Client) -> None:
    nested = b"[" * 30_000 + b"]" * 30_000
    deep = b'{"model": "factmill", "messages": [], "method": "a", "tools": ' + nested + b"}"

    for path in ("/v1/chat/completions", "/mcp"):
        accepted = JSON | {"accept": "application/json, text/event-stream"}
        assert client.post(path, content=deep, headers=accepted).status_code == 400


def test_length_that_is_written_with_thousands_of_zeros_is_read(client: httpx.Client) -> None:
    assert status(response_to(client, HEAD + b"Content-Length: %05000d\r\n\r\n{}" % 2)) == 422


@pytest.mark.parametrize(
    ("path", "body", "most_errors"),
    [
        ("/v1/search", {"query": "a"} | dict.fromkeys(map(str, range(1500))), 0),
        (
            "/v1/chat/completions",
            {"model": "factmill", "messages": [{"role": "user", "content": [{}] * 1500}]},
            2,
        ),
    ],
)
def test_body_of_many_wrong_fields_is_refused_without_a_word_on_each(
    client: httpx.Client, path: str, body: object, most_errors: int
) -> None:
    found = client.post(path, json=body)

    assert found.status_code == 422
    assert len(found.json().get("errors", [])) <= most_errors


def test_body_that_says_it_is_too_long_is_refused_unread(client: httpx.Client) -> None:
    said = HEAD + f"Content-Length: {MEGABYTES_100}\r\n\r\n".encode()

    assert status(response_to(client, said)) == 413


def test_body_that_turns_out_too_long_is_cut_off(client: httpx.Client) -> None:
    chunk = b"2000\r\n" + b"x" * 0x2000 + b"\r\n"
    sent = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    with connect(client) as connection:
        connection.sendall(sent)
        taken = 0
        try:
            while taken < MEGABYTES_100:
                connection.sendall(chunk)
                taken += len(chunk)
        except OSError:
            pass
    # What the kernel's buffers took, beside the limit.
    assert taken < MEGABYTES_100 / 2


@pytest.mark.parametrize(
    "sent",
    [
        b"\r\n" * 50_000,
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200_000,
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: a\r\n" * 50_000,
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500,
        b"GET / HTTP/9.9\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        HEAD + b"Content-Length: 99999999999999999999\r\n\r\n",
        HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n",
        b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET http://evil.example/v1/build HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET \xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)
def test_bytes_that_are_no_proper_request_end_with_4xx_or_closed(
    client: httpx.Client, sent: bytes
) -> None:
    assert status(response_to(client, sent)) in (0, *range(400, 500))


def test_body_that_comes_slowly_is_given_up(client: httpx.Client) -> None:
    with connect(client) as connection:
        connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
        assert status(connection.recv(65536)) == 408


def test_headers_that_come_slowly_are_given_up(client: httpx.Client) -> None:
    with connect(client) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: local")
        assert connection.recv(65536) == b""


def test_second_request_that_comes_slowly_is_given_up(client: httpx.Client) -> None:
    with connect(client) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        received = b""
        while not received.endswith(b"}"):
            received += connection.recv(65536)
        assert status(received) == 200
        connection.sendall(b"GET /healthz")
        assert connection.recv(65536) == b""


def test_idle_connections_make_room_for_others(settings: ServiceSettings) -> None:
    limits = replace(settings.limits, connections=8, header_seconds=600)
    with live_service(replace(settings, limits=limits)) as client, ExitStack() as stack:
        idle = [stack.enter_context(connect(client)) for _ in range(30)]
        with httpx.Client(base_url=client.base_url, timeout=10, trust_env=False) as other:
            assert other.get("/readyz").status_code == 200
        assert idle[0].recv(1) == b""


def test_client_that_leaves_in_the_middle_of_its_body_harms_nobody(client: httpx.Client) -> None:
    for _ in range(5):
        with connect(client) as connection:
            connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def test_client_that_leaves_its_stream_harms_nobody(client: httpx.Client) -> None:
    body = b'{"question": "When was the Weaver\'s Bridge built?"}'
    head = b"POST /v1/answer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    for _ in range(5):
        with connect(client) as connection:
            connection.sendall(
                head + f"Accept: text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            )
            connection.sendall(body)


CALL = {"name": "answer", "arguments": {"question": "Who?"}}


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/v1/answer", {"question": "Who?"}),
        (
            "/v1/chat/completions",
            {"model": "factmill", "messages": [{"role": "user", "content": "Who?"}]},
        ),
        ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}),
    ],
)
def test_answer_is_cancelled_when_its_client_leaves(
    client: httpx.Client, path: str, asked: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, cancelled = threading.Event(), threading.Event()

    async def answer(*_: object, **__: object) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    monkeypatch.setattr(Service, "answer", answer)
    body = json.dumps(asked).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Accept: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with connect(client) as connection:
        connection.sendall(head.encode() + body)
        assert begun.wait(20)

    assert cancelled.wait(20)


@pytest.mark.parametrize("chunked", [False, True])
def test_mcp_takes_no_large_body(client: httpx.Client, chunked: bool) -> None:
    # What a tool is asked is short, while JSON that is read takes up to a hundred times its size.
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"%s"}}}'
    headers = {**JSON, "accept": "application/json, text/event-stream"}
    found = []
    for count in (60_000, 70_000):
        whole = body % (b"x" * count)
        content = (part for part in (whole[:50], whole[50:])) if chunked else whole
        found.append(client.post("/mcp", content=content, headers=headers).status_code)
    assert found == [200, 413]

"""Where a request ends: nobody can make the service see a second one within it."""

from __future__ import annotations

import re
import socket
from http.client import HTTPResponse

import httpx
import pytest

from factmill.runtime.service.bounded_http import MAX_BESIDE_BODY
from tests.runtime.service.live_service import connect

BODY = b'{"query": "ferry"}'
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
CHUNKED = b"Transfer-Encoding: chunked\r\n"
HEAD = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
OFFER = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
TOKEN = b"Authorization: Bearer first-token\r\n"


def chunks(*parts: bytes, trailers: bytes = b"") -> bytes:
    sent = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
    return sent + b"0\r\n" + trailers + b"\r\n"


def answered(connection: socket.socket) -> int:
    """The status of the next response, which is read whole."""
    response = HTTPResponse(connection)
    response.begin()
    response.read()
    return response.status


def until_closed(connection: socket.socket) -> list[int]:
    """The statuses of all responses that come until the service ends the connection."""
    received = b""
    try:
        while data := connection.recv(65536):
            received += data
    except ConnectionError:
        pass  # it was closed before all was read
    return [int(found) for found in re.findall(rb"HTTP/1\.1 (\d+) ", received)]


@pytest.mark.parametrize(
    "sent",
    [
        # Two ways to say where the body ends.
        HEAD + LENGTH + b"Content-Length: 1\r\n\r\n" + BODY,
        HEAD + LENGTH + LENGTH + b"\r\n" + BODY,
        HEAD + b"Content-Length: 18, 18\r\n\r\n" + BODY,
        HEAD + LENGTH + CHUNKED + b"\r\n" + chunks(BODY),
        HEAD + CHUNKED + b"Content-Length: 4\r\n\r\n" + chunks(BODY),
        HEAD + CHUNKED + CHUNKED + b"\r\n" + chunks(BODY),
        HEAD + CHUNKED + b"\r\n" + chunks(BODY, trailers=b"Content-Length: 4\r\n"),
        # A way that another server may understand otherwise.
        HEAD + b"Content-Length: +18\r\n\r\n" + BODY,
        HEAD + b"Content-Length: 0x12\r\n\r\n" + BODY,
        HEAD + b"Transfer-Encoding: xchunked\r\n\r\n" + chunks(BODY),
        HEAD + b"Transfer-Encoding: chunked, gzip\r\n\r\n" + chunks(BODY),
        HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunks(BODY),
        HEAD + b"Transfer-Encoding: identity\r\n" + LENGTH + b"\r\n" + BODY,
        HEAD + b"Transfer-Encoding : chunked\r\n\r\n" + chunks(BODY),
        HEAD + b"Transfer-Encoding: \x0bchunked\r\n\r\n" + chunks(BODY),
        HEAD + b"Transfer-Encoding:\r\n chunked\r\n" + LENGTH + b"\r\n" + BODY,
        # Lines that are none, or that go on.
        HEALTH.replace(b"\r\n", b"\n"),
        HEALTH[:-2] + b"X: a\nY: b\r\n\r\n",
        HEALTH[:-2] + b"X: a\rY: b\r\n\r\n",
        HEALTH[:-2] + b"X: a\r\n b\r\n\r\n",
        HEALTH[:-2] + b"X: a\0b\r\n\r\n",
        HEALTH[:-2] + b"X\r\n\r\n",
        # Sizes of chunks.
        HEAD + CHUNKED + b"\r\n-1\r\n",
        HEAD + CHUNKED + b"\r\n0x12\r\n" + BODY + b"\r\n0\r\n\r\n",
        HEAD + CHUNKED + b"\r\n12\n" + BODY + b"\r\n0\r\n\r\n",
        HEAD + CHUNKED + b"\r\n12;a\nb\r\n" + BODY + b"\r\n0\r\n\r\n",
        HEAD + CHUNKED + b"\r\n3\r\n" + BODY + b"\r\n0\r\n\r\n",
        HEAD + CHUNKED + b"\r\n12\r\n" + BODY + b"XX0\r\n\r\n",
        # Targets that are neither a path nor a URL of HTTP, and other protocols.
        b"GET ftp://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET http:///healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET http:/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET http://me@localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"CONNECT http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"CONNECT /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_doubtful_request_is_refused_with_all_that_follows(
    client: httpx.Client, sent: bytes
) -> None:
    with connect(client) as connection:
        connection.sendall(sent + HEALTH)
        assert until_closed(connection) == [400]


@pytest.mark.parametrize("first", [HEALTH, HEAD + LENGTH + b"\r\n" + BODY])
@pytest.mark.parametrize("next_one", [HEALTH * 1000, b"no request\r\n\r\n", b"\x16\x03\x01"])
def test_what_follows_before_the_answer_ends_the_connection_after_it(
    client: httpx.Client, first: bytes, next_one: bytes
) -> None:
    with connect(client) as connection:
        connection.sendall(first + next_one)
        assert until_closed(connection) == [200]


def test_requests_one_after_the_other_share_a_connection_however_much_all_have(
    client: httpx.Client,
) -> None:
    much = b"X: " + b"a" * (MAX_BESIDE_BODY // 2) + b"\r\n"
    with connect(client) as connection:
        for sent in (HEALTH[:-2], HEAD + LENGTH, HEALTH[:-2], HEAD + LENGTH):
            connection.sendall(sent + much + b"\r\n" + (BODY if LENGTH in sent else b""))
            assert answered(connection) == 200


@pytest.mark.parametrize("size", [-1000, 1000])
def test_headers_are_bounded_in_bytes_however_many_there_are(
    client: httpx.Client, size: int
) -> None:
    size += MAX_BESIDE_BODY
    for more in (b"X: " + b"a" * size + b"\r\n", b"X: a\r\n" * (size // 6)):
        with connect(client) as connection:
            connection.sendall(HEALTH[:-2] + more + b"Connection: close\r\n\r\n")
            assert until_closed(connection) == [200 if size < MAX_BESIDE_BODY else 400]


@pytest.mark.parametrize(
    ("begun", "more"),
    [
        (b"", b"\r\n"),
        (HEALTH[:-2], b"X: a\r\n"),
        (HEALTH[:-2] + b"X: ", b"a"),
        (HEAD + CHUNKED + b"\r\n12;", b"a"),
        (HEAD + CHUNKED + b"\r\n" + chunks(BODY)[:-2], b"X: a\r\n"),
        (HEAD + CHUNKED + b"\r\n" + chunks(BODY)[:-2] + b"X: ", b"a"),
    ],
)
def test_what_never_ends_beside_a_body_is_cut_off(
    client: httpx.Client, begun: bytes, more: bytes
) -> None:
    taken, packet = 0, more * (65536 // len(more))
    with connect(client) as connection:
        connection.sendall(begun)
        try:
            while taken < 50_000_000:
                connection.sendall(packet)
                taken += len(packet)
        except OSError:
            pass
    # What the kernel's buffers took, beside the limit.
    assert taken < 25_000_000


def test_trailers_are_no_headers_of_this_request_or_the_next(closed: httpx.Client) -> None:
    with connect(closed) as connection:
        connection.sendall(HEAD + CHUNKED + b"\r\n" + chunks(BODY, trailers=TOKEN))
        assert answered(connection) == 401
        connection.sendall(b"GET /v1/build HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert answered(connection) == 401


@pytest.mark.parametrize(
    ("length", "body"), [(LENGTH, BODY), (CHUNKED, chunks(BODY[:5], BODY[5:]))]
)
def test_offer_of_another_protocol_is_ignored_and_the_body_read(
    client: httpx.Client, length: bytes, body: bytes
) -> None:
    with connect(client) as connection:
        for head in (HEAD, HEAD.replace(b"/v1", b"http://localhost/v1")):
            connection.sendall(head + length + OFFER + b"\r\n" + body)
            assert answered(connection) == 200
        connection.sendall(HEAD + length + OFFER + b"Expect: 100-continue\r\n\r\n")
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert answered(connection) == 200


def test_client_of_an_old_version_is_not_told_to_go_on(client: httpx.Client) -> None:
    head = HEAD.replace(b"HTTP/1.1", b"HTTP/1.0")
    with connect(client) as connection:
        connection.sendall(head + LENGTH + b"Expect: 100-continue\r\n\r\n" + BODY)
        assert until_closed(connection) == [200]


def test_body_after_an_offer_of_another_protocol_is_no_request(client: httpx.Client) -> None:
    with connect(client) as connection:
        connection.sendall(HEAD + OFFER + b"Content-Length: %d\r\n\r\n" % len(HEALTH))
        connection.sendall(HEALTH)
        assert answered(connection) == 400
        connection.sendall(HEALTH)
        assert answered(connection) == 200

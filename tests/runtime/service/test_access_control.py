from __future__ import annotations

import logging

import httpx
import pytest

from tests.runtime.service.live_service import response_to

SEARCH = {"query": "a very private question"}


def test_request_without_the_token_is_refused(closed: httpx.Client) -> None:
    sent = [
        None, "Bearer", "Bearer wrong", "Bearer first-token2", "Bearer first-toke",
        "Basic first-token", "first-token", "Bearer first-token, Bearer x",
    ]  # fmt: skip
    for value in sent:
        headers = {} if value is None else {"authorization": value}
        found = closed.post("/v1/search", json=SEARCH, headers=headers)
        assert found.status_code == 401, value
        assert found.headers["www-authenticate"] == "Bearer"
    for path in ("/metrics", "/v1/build", "/v1/models", "/openapi.json", "/nowhere"):
        assert closed.get(path).status_code == 401, path


def test_request_with_one_of_the_tokens_is_answered(closed: httpx.Client) -> None:
    for value in ("Bearer first-token", "bearer second-token", "Bearer  second-token"):
        found = closed.post("/v1/search", json=SEARCH, headers={"authorization": value})
        assert found.status_code == 200, value


def test_probes_need_no_token(closed: httpx.Client) -> None:
    assert closed.get("/healthz").status_code == 200
    assert closed.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:99", "127.0.0.1", "10.1.2.3:8080", "[::1]:80", "facts.example."],
)
def test_host_that_is_ours_is_served(closed: httpx.Client, host: str) -> None:
    assert closed.get("/healthz", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "[",
        "",
        "a facts.example",
        "evil.example@localhost",
        "localhost/evil.example",
        "localhost?evil.example",
        "localhost:80.evil.example",
        "local\thost",
        "localhost, evil.example",
    ],
)
def test_host_that_is_not_ours_is_refused(closed: httpx.Client, host: str) -> None:
    assert closed.get("/healthz", headers={"host": host}).status_code in (400, 421)


@pytest.mark.parametrize(
    ("target", "host", "status"),
    [
        ("http://localhost/healthz", "localhost", b"200"),
        ("HTTP://facts.example:8080/healthz?a=/b", "proxy.example", b"200"),
        ("https://[::1]:80/nowhere?x", "localhost", b"401"),
        ("http://facts.example", "localhost", b"200"),
        ("http://facts.example?x", "localhost", b"200"),
        ("http://evil.example/healthz", "localhost", b"421"),
        ("http://evil.example/healthz", "evil.example", b"421"),
        ("http://localhost.evil.example/healthz", "localhost", b"421"),
        ("http://[::1/healthz", "localhost", b"4"),
        ("http://localhost:9@evil.example/healthz", "localhost", b"400"),
        ("http://localhost\\.evil.example/healthz", "localhost", b"400"),
        ("http://localhost/healthz", "localhost\r\nHost: localhost", b"421"),
    ],
)
def test_host_of_a_target_that_is_a_url_counts_and_not_the_header(
    closed: httpx.Client, target: str, host: str, status: bytes
) -> None:
    sent = f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    assert response_to(closed, sent).split()[1].startswith(status)


def test_target_that_is_a_url_without_a_host_header_is_refused(closed: httpx.Client) -> None:
    sent = b"GET http://localhost/healthz HTTP/1.1\r\n\r\n"
    assert response_to(closed, sent).split()[1] == b"421"


def test_two_hosts_or_none_are_refused(client: httpx.Client) -> None:
    two = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"
    none = b"GET /healthz HTTP/1.1\r\n\r\n"
    old = b"GET /healthz HTTP/1.0\r\n\r\n"

    for sent in (two, none, old):
        assert response_to(client, sent).split()[1] in (b"400", b"421")


def test_log_has_no_query_unless_asked_for(
    client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "factmill.requests")

    client.post("/v1/search", json=SEARCH)
    client.get("/v1/pages/private-id?q=private-parameter")

    lines = [record.getMessage() for record in caplog.records]
    assert any("POST /v1/search 200" in line for line in lines)
    assert not [line for line in lines if "private" in line]

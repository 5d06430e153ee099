"""The line and the count of a request, whose layer is called as a server calls it."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from factmill.runtime.service.metrics import Metrics
from factmill.runtime.service.request_log import RequestLog
from factmill.runtime.service.service_settings import ServiceSettings


async def bug(_: Scope, __: Receive, ___: Send) -> None:
    raise RuntimeError("a bug")


async def bug_after_a_start(_: Scope, __: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200})
    raise RuntimeError("a bug")


async def cancelled(_: Scope, __: Receive, ___: Send) -> None:
    raise asyncio.CancelledError


async def nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def unsent(_: Message) -> None:
    return None


@pytest.mark.parametrize(
    ("app", "client", "logged", "counted"),
    [
        (bug, "1.1.1.1", "1.1.1.1 GET none 500", "500"),
        (bug, "fe80::1%eth0", "fe80::1%eth0 GET none 500", "500"),
        (bug, "1.1.1.1 POST /v1 200\x1b[2J", "1.1.1.1?POST??v1?200??2J GET none 500", "500"),
        (bug, "9" * 600, f" {'9' * 64} GET none 500", "500"),
        (bug_after_a_start, "1.1.1.1", "1.1.1.1 GET none 200", "200"),
        (cancelled, "1.1.1.1", "1.1.1.1 GET none -", "none"),
    ],
)
def test_a_bug_counts_as_the_status_that_its_client_gets(
    app: ASGIApp, client: str, logged: str, counted: str, caplog: pytest.LogCaptureFixture
) -> None:
    service = SimpleNamespace(metrics=Metrics(), settings=ServiceSettings("store"))
    scope: Scope = {
        "type": "http", "method": "GET", "client": (client, 1),
        "app": SimpleNamespace(state=SimpleNamespace(service=service)),
    }  # fmt: skip

    with (
        caplog.at_level(logging.INFO, "factmill.requests"),
        pytest.raises((RuntimeError, asyncio.CancelledError)),
    ):
        asyncio.run(RequestLog(app)(scope, nothing, unsent))

    assert f"{logged} " in caplog.text
    assert f'http_response_status_code="{counted}"' in service.metrics.text().decode()

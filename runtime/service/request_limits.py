"""Limits on concurrent requests, and on the bytes and seconds of each."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from factmill.runtime.service.problems import Problem, busy
from factmill.runtime.service.service_settings import ServiceLimits
from factmill.runtime.service.time_limit import TimeLimit


class RequestLimits:
    """ASGI middleware. `unlimited` paths are always answered; `seconds` is the time from a
    request's headers to the end of its response. `body_bytes` are those of paths with a limit of
    their own.
    """

    def __init__(
        self,
        app: ASGIApp,
        limits: ServiceLimits,
        seconds: float,
        unlimited: frozenset[str],
        body_bytes: Mapping[str, int],
    ) -> None:
        self._app, self._limits, self._seconds = app, limits, seconds
        self._unlimited, self._body_bytes = unlimited, body_bytes
        self._running, self._of_client = 0, Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._unlimited:
            await self._app(scope, receive, send)
            return
        client = scope["client"][0] if scope["client"] else ""
        if self._running >= self._limits.requests:
            raise busy("too many requests run at once")
        if self._of_client[client] >= self._limits.requests_a_client:
            raise busy("too many requests of this client run at once", 429)
        most = min(self._limits.body_bytes, self._body_bytes.get(scope["path"], math.inf))
        body = _BoundedBody(scope, receive, most, self._limits.body_seconds)
        self._running += 1
        self._of_client[client] += 1
        try:
            with TimeLimit(self._seconds, self._late):
                await self._app(scope, body, send)
        finally:
            self._running -= 1
            self._of_client[client] -= 1
            if not self._of_client[client]:
                del self._of_client[client]

    def _late(self) -> Problem:
        return busy(f"the request took more than {self._seconds:g} s")


class _BoundedBody:
    """The `receive` of a request: its body, limited in bytes and seconds."""

    def __init__(self, scope: Scope, receive: Receive, most: float, seconds: float) -> None:
        """Raises Problem for a body whose declared length is too large."""
        self._receive, self._most = receive, most
        self._bytes, self._whole = 0, False
        self._until = asyncio.get_running_loop().time() + seconds
        for name, value in scope["headers"]:
            if name == b"content-length" and _declared(value) > most:
                raise self._too_long()

    async def __call__(self) -> Message:
        if self._whole:
            return await self._receive()
        left = self._until - asyncio.get_running_loop().time()
        with TimeLimit(left, _slow):
            message = await self._receive()
        self._bytes += len(message.get("body", b""))
        if self._bytes > self._most:
            raise self._too_long()
        self._whole = not message.get("more_body", False)
        return message

    def _too_long(self) -> Problem:
        return Problem(
            413,
            "body_long",
            f"the body is longer than {self._most} bytes",
            {"connection": "close"},
        )


def _declared(length: bytes) -> int:
    """The bytes that a Content-Length says, which the parser has checked. It may begin with any
    number of zeros, and Python reads no number of thousands of digits.
    """
    return int(length.lstrip(b"0") or b"0")


def _slow() -> Problem:
    return Problem(408, "body_slow", "the body did not come in time", {"connection": "close"})

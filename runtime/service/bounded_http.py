"""Connections that say nothing end, and make room for others.

uvicorn waits for ever for the first request of a connection, and refuses requests, not
connections, when it has too many. Here a connection has some seconds to send the headers of its
next request; and when there are as many as there may be, the one that has waited longest is closed
for the new one. How long headers may be is bounded by h11 (64 KiB).
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState


class BoundedHttp(H11Protocol):
    """HTTP/1.1 on one connection, of at most `most` in this process."""

    def __init__(
        self,
        seconds: float,
        most: int,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._seconds, self._most = seconds, most
        self._timer: asyncio.TimerHandle | None = None
        self._waits_since = 0.0

    @property
    def waiting(self) -> bool:
        """No request has begun, or the last one was answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # asyncio does it only where a socket was made for TCP by name. Without it, what follows the
        # headers waits 40 ms for the client's system to acknowledge these.
        connection = transport.get_extra_info("socket")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._waits_since = self.loop.time()
        self._start_timer()
        if len(self.connections) > self._most:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        if self.waiting:
            self._start_timer()
        super().data_received(data)
        if not self.waiting:
            self._stop_timer()

    def on_response_complete(self) -> None:
        self._waits_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self._seconds, self._close_if_waiting)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close_if_waiting(self) -> None:
        self._timer = None
        if self.waiting:
            self.transport.abort()

    def _make_room(self) -> None:
        """Close the connection that has waited longest; this one, when it is the only one."""
        others = [one for one in self.connections if isinstance(one, BoundedHttp) and one.waiting]
        longest = min(others, key=lambda one: one._waits_since, default=self)
        longest._stop_timer()
        longest.transport.abort()
        self.connections.discard(longest)

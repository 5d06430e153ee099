"""HTTP/1.1 on a connection, bounded in seconds and bytes, one request at a time.

This is uvicorn's protocol over httptools, with additions:

- A connection has a few seconds to send the headers of its next request. When the maximum number of
  connections is reached, the one that has waited longest is closed for the new one.
- A client that reads nothing of a long response for the same time is disconnected. The rest of the
  response would stay in memory for as long as the client likes.
- The parts of a request beside its body (line, headers, chunk sizes, trailers) are bounded.
- A request that comes before the last one is answered ends the connection after that answer;
  uvicorn would keep any number of them. So do bytes that are not a request.
- Trailers are dropped. uvicorn adds them to the headers after these have been checked.
- An offer to upgrade the protocol is ignored. httptools takes what follows it for the new protocol,
  so the body would be lost, or read as a request; Java's client offers HTTP/2 with every first
  request.
- A target may be a whole URL (`absolute_target.py`).
- A body that is compressed for the transfer is refused. uvicorn reads it as if it was not.
- A client of HTTP/1.0 is not told to go on with its body.
"""

from __future__ import annotations

import asyncio
import fcntl
import socket
import sys
import termios
from typing import Any

from httptools import HttpParserError, HttpParserUpgrade
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from factmill.runtime.service.absolute_target import path_and_host, replace_host

# Bytes of a request beside its body. asyncio reads at most 256 KiB at once.
MAX_BESIDE_BODY = 65_536
_REFUSED = "Invalid HTTP request received."


class BoundedHttp(HttpToolsProtocol):
    """One of at most `most` connections of this process; `seconds` is the limit for headers, and
    for the next part of a long response to be read.
    """

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
        self._unread_timer: asyncio.TimerHandle | None = None
        self._waits_since = 0.0
        self._beside_body, self._refused = 0, False

    @property
    def waiting(self) -> bool:
        """Whether no request has begun, or the last one was answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # asyncio sets this only for sockets created explicitly for TCP. Without it, the body waits
        # 40 ms until the client's system acknowledges the headers.
        connection = transport.get_extra_info("socket")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._waits_since = self.loop.time()
        self._start_timer()
        if len(self.connections) > self._most:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        if self._refused:
            self.flow.pause_reading()
            return
        if self.waiting:
            self._start_timer()
        self._unset_keepalive_if_required()
        self._beside_body += len(data)
        try:
            self._parse(data)
            if self._beside_body > MAX_BESIDE_BODY:
                raise HttpParserError("the request line, headers and trailers are too long")
        except (HttpParserError, HttpParserUpgrade):  # CONNECT is an offer by itself
            self._refuse()
        if not self.waiting:
            self._stop_timer()

    def _parse(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except HttpParserUpgrade as offer:
            self.parser.feed_data(self._head_without_offer() + data[offer.args[0] :])

    def _head_without_offer(self) -> bytes:
        """The request line and headers again, without the upgrade offer."""
        version = self.parser.get_http_version().encode()
        lines = [b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, version)]
        lines += [b"%s: %s" % header for header in self.headers if header[0] != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])

    def _refuse(self) -> None:
        """Stop reading. A request that was received completely is answered before the connection
        ends.
        """
        self._refused = True
        self.flow.pause_reading()
        if not self.waiting and not self.cycle.more_body:
            self.shutdown()  # after that answer
            return
        self.logger.warning(_REFUSED)
        if self.waiting or not self.cycle.response_started:
            self.send_400_response(_REFUSED)
        else:
            self.transport.abort()

    # Callbacks of the parser. It reports an error raised here as one of the request.

    def on_message_begin(self) -> None:
        if not self.waiting:
            raise HttpParserError("a request came before the last one was answered")
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self.waiting:  # a trailer otherwise
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > MAX_BESIDE_BODY:
            raise HttpParserError("the headers are too long")
        if not self.url.startswith(b"/"):
            self._take_absolute_target()
        if any(name == b"transfer-encoding" and not _is_chunked(of) for name, of in self.headers):
            raise HttpParserError("the body has an encoding that is not read here")
        if self.parser.get_http_version() == "1.0":  # it would take "continue" for the answer
            self.expect_100_continue = False
        if not self.parser.should_upgrade():
            super().on_headers_complete()

    def _take_absolute_target(self) -> None:
        found = path_and_host(self.url)
        if found is None:
            raise HttpParserError("the target is neither a path nor a URL of HTTP")
        self.url, host = found
        replace_host(self.headers, host)

    def on_body(self, body: bytes) -> None:
        self._beside_body -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        if not self.parser.should_upgrade():
            self._beside_body = 0
            super().on_message_complete()

    def on_response_complete(self) -> None:
        self._waits_since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_unread(self._unread())

    def resume_writing(self) -> None:
        self._stop_unread_timer()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._stop_unread_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self._seconds, self._close_if_waiting)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _unread(self) -> int:
        """Bytes of the response that have not reached the client. Linux takes the next ones only
        when a third of its buffer of megabytes is free, so a slow client needs minutes for that.
        """
        connection = self.transport.get_extra_info("socket")
        return self.transport.get_write_buffer_size() + _unacknowledged(connection)

    def _watch_unread(self, unread: int) -> None:
        self._unread_timer = self.loop.call_later(self._seconds, self._abort_if_unread, unread)

    def _stop_unread_timer(self) -> None:
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def _abort_if_unread(self, before: int) -> None:
        unread = self._unread()
        if unread < before:
            self._watch_unread(unread)
        else:
            self.transport.abort()

    def _close_if_waiting(self) -> None:
        self._timer = None
        if self.waiting:
            self.transport.abort()

    def _make_room(self) -> None:
        """Close the connection that has waited longest; this one, if it is the only one."""
        others = [one for one in self.connections if isinstance(one, BoundedHttp) and one.waiting]
        longest = min(others, key=lambda one: one._waits_since, default=self)
        longest._stop_timer()
        longest.transport.abort()
        self.connections.discard(longest)


def _is_chunked(transfer_encoding: bytes) -> bool:
    return transfer_encoding.strip().lower() == b"chunked"


def _unacknowledged(connection: socket.socket) -> int:
    """Bytes that the system holds for the client; 0 on a system that does not say."""
    try:
        held = fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4))
    except OSError:
        return 0
    return int.from_bytes(held, sys.byteorder)

"""Connections, without a service behind them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import cast

import pytest
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.server import ServerState

from factmill.runtime.service import bounded_http
from factmill.runtime.service.bounded_http import BoundedHttp

# More than the system takes for a client that does not read.
LONG = bytes(20_000_000)


async def _unused(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    raise AssertionError("no request was sent")


@asynccontextmanager
async def _connected(
    app: ASGIApp, seconds: float
) -> AsyncIterator[tuple[BoundedHttp, asyncio.StreamReader, asyncio.StreamWriter]]:
    """The connection to an application, and its client."""
    state = ServerState()
    config = Config(app, ws="none", lifespan="off", log_config=None)
    config.load()
    made = partial(BoundedHttp, seconds, 10, config=config, server_state=state, app_state={})
    # Not IPPROTO_TCP by name: asyncio leaves such sockets as they are.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind(("127.0.0.1", 0))
        server = await asyncio.get_running_loop().create_server(made, sock=listener)
        async with server:
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            while not state.connections:
                await asyncio.sleep(0)
            (connection,) = state.connections
            assert isinstance(connection, BoundedHttp)
            yield connection, reader, writer
            connection.transport.abort()
            writer.close()


def test_connection_sends_what_follows_headers_at_once_whatever_socket_listened() -> None:
    async def work() -> int:
        async with _connected(_unused, 60.0) as (connection, _, _):
            of_service = connection.transport.get_extra_info("socket")
            found: int = of_service.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            return found

    assert asyncio.run(work()) == 1


def test_client_that_does_not_read_a_long_response_is_disconnected() -> None:
    async def work() -> int:
        async with _connected(Response(LONG), 0.1) as (connection, reader, writer):
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            while connection in connection.connections:
                await asyncio.sleep(0)
            received = 0
            with suppress(ConnectionResetError):
                while part := await reader.read(65_536):
                    received += len(part)
            return received

    assert asyncio.run(asyncio.wait_for(work(), 20)) < len(LONG)


class SlowlyRead:
    """A transport of which the client reads a part each time, until it reads nothing. The parts
    are those of the buffer of Python, or of the system's.
    """

    def __init__(self, of_system: bool) -> None:
        self.unread, self.aborted = [3, 2, 1, 1], asyncio.Event()
        self.of_system = of_system

    def get_write_buffer_size(self) -> int:
        return 9 if self.of_system else self.unread.pop(0)

    def get_extra_info(self, _: str) -> SlowlyRead:
        return self

    def unacknowledged(self) -> int:
        return self.unread.pop(0) if self.of_system else 9

    def abort(self) -> None:
        self.aborted.set()


@pytest.mark.parametrize("of_system", [False, True])
def test_client_that_reads_slowly_is_not_disconnected_before_it_stops(
    of_system: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_http, "_unacknowledged", SlowlyRead.unacknowledged, raising=False)

    async def work() -> list[int]:
        async with _connected(_unused, 0.01) as (connection, _, _):
            connection._stop_timer()  # that of headers
            transport, slowly = connection.transport, SlowlyRead(of_system)
            connection.transport = cast(asyncio.Transport, slowly)
            connection.pause_writing()
            await slowly.aborted.wait()
            connection.transport = transport
            return slowly.unread

    assert asyncio.run(asyncio.wait_for(work(), 20)) == []

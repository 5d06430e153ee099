"""Connections, without a service behind them."""

from __future__ import annotations

import asyncio
import socket
from functools import partial

from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.server import ServerState

from factmill.runtime.service.bounded_http import BoundedHttp


async def _unused(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    raise AssertionError("no request was sent")


def test_connection_sends_what_follows_headers_at_once_whatever_socket_listened() -> None:
    async def work() -> int:
        state = ServerState()
        config = Config(_unused, ws="none", lifespan="off", log_config=None)
        config.load()
        made = partial(BoundedHttp, 60.0, 10, config=config, server_state=state, app_state={})
        # Not IPPROTO_TCP by name: asyncio leaves such sockets as they are.
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.bind(("127.0.0.1", 0))
            server = await asyncio.get_running_loop().create_server(made, sock=listener)
            async with server:
                _, writer = await asyncio.open_connection(*listener.getsockname())
                while not state.connections:
                    await asyncio.sleep(0)
                (connection,) = state.connections
                assert isinstance(connection, BoundedHttp)
                of_service = connection.transport.get_extra_info("socket")
                found: int = of_service.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
                connection.transport.abort()
                writer.close()
                return found

    assert asyncio.run(work()) == 1

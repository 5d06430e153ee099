"""An event loop that listens on a socket of its own, at an address that all processes share.

Processes that accept from one socket race for its connections, and the same one wins: of 32 that a
client opened, 30 were in one process of two. Of sockets with SO_REUSEPORT the system chooses one by
the client's address, so that each process has its share.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import ExitStack, suppress
from typing import Any


class OwnListenerLoop(asyncio.SelectorEventLoop):
    """Servers of this loop listen on sockets of their own."""

    async def create_server(  # type: ignore[override]
        self, *arguments: Any, sock: socket.socket, **options: Any
    ) -> asyncio.Server:
        """As asyncio's, at the address of `sock`, which was bound by `bound_for_all`."""
        with ExitStack() as opened:
            own = opened.enter_context(socket.socket(sock.family, sock.type))
            _allow_others(own)
            own.bind(sock.getsockname())
            server = await super().create_server(*arguments, sock=own, **options)
            opened.pop_all()  # the server closes it
        return server


def bound_for_all(address: tuple[Any, ...], family: socket.AddressFamily) -> socket.socket:
    """A socket that keeps an address for the sockets of these loops, and never listens itself.
    Raises OSError for an address that somebody listens at."""
    with ExitStack() as opened:
        kept = opened.enter_context(socket.socket(family, socket.SOCK_STREAM))
        # Of a service that ended, connections may still be open.
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(address)
        # Not before: a second service would share the first one's address, and its requests.
        _allow_others(kept)
        opened.pop_all()
    return kept


def _allow_others(one: socket.socket) -> None:
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with suppress(AttributeError):  # a system without it
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)

"""An event loop that listens on its own socket, at an address shared by all processes.

Processes that accept from one socket race for its connections, and the same one tends to win: of 32
connections of a client, 30 were in one process of two. With SO_REUSEPORT sockets, the system
chooses one by the client's address, so that each process gets its share.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any


class OwnListenerLoop(asyncio.SelectorEventLoop):
    """An event loop whose servers listen on sockets of their own."""

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


@contextmanager
def bound_for_all(
    address: tuple[Any, ...], family: socket.AddressFamily
) -> Iterator[socket.socket]:
    """A socket that reserves an address for the sockets of these loops, and never listens itself.
    Raises OSError for an address in use or reserved.
    """
    with ExitStack() as opened:
        if address[1] and sys.platform == "linux":
            _take_name(opened.enter_context(socket.socket(socket.AF_UNIX)), address)
        kept = opened.enter_context(socket.socket(family, socket.SOCK_STREAM))
        # Connections of a stopped service may still be open.
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(address)
        # Set only after binding: a second service would share the address and its requests.
        _allow_others(kept)
        yield kept


def _take_name(one: socket.socket, address: tuple[Any, ...]) -> None:
    """While a service opens its index it does not listen yet, so the system would let another one
    bind. A name in the abstract namespace has one owner, in the port's network namespace, and needs
    no file.
    """
    one.bind(f"\0factmill-serve {address[0]} {address[1]}")


def _allow_others(one: socket.socket) -> None:
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with suppress(AttributeError):  # a system without it
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)

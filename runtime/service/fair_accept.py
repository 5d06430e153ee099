"""An event loop that accepts one connection at a time.

Processes that share a listening socket race for its connections. asyncio's loop accepts all that
wait as soon as it wakes up: a client that opens many at once has them all in one process, and the
others idle. One at a time, a process that is busy leaves the next one to those that are not.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any


class FairLoop(asyncio.SelectorEventLoop):
    """`backlog` says how many connections may wait, and no longer how many are accepted at once."""

    async def create_server(  # type: ignore[override]
        self, *arguments: Any, sock: socket.socket, backlog: int = 100, **options: Any
    ) -> asyncio.Server:
        """As asyncio's, for a socket that exists."""
        server = await super().create_server(*arguments, sock=sock, backlog=1, **options)
        sock.listen(backlog)
        return server

"""Connections that are accepted one at a time, and wait until then."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise

import pytest

from factmill.runtime.service.fair_accept import FairLoop

WAITING = 20


@pytest.fixture
def loop() -> Iterator[FairLoop]:
    loop = FairLoop()
    yield loop
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


def test_each_turn_of_the_loop_accepts_one_connection_while_the_others_wait(loop: FairLoop) -> None:
    made: list[asyncio.BaseTransport] = []

    class Noted(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            made.append(transport)

    with ExitStack() as opened:
        listener = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
        server = loop.run_until_complete(loop.create_server(Noted, sock=listener, backlog=64))
        address = listener.getsockname()
        for _ in range(WAITING):  # with a backlog of one, the third would wait for ever
            opened.enter_context(socket.create_connection(address, timeout=10))
        counts = loop.run_until_complete(_counts_by_turn(made))
        assert max(after - before for before, after in pairwise(counts)) == 1
        for transport in made:
            transport.close()
        server.close()


async def _counts_by_turn(made: list[asyncio.BaseTransport]) -> list[int]:
    """How many there are after each turn of the loop."""
    counts = [0]
    while len(made) < WAITING:
        await asyncio.sleep(0)
        counts.append(len(made))
    return counts

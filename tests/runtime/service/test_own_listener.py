"""Loops that share an address: each has its share of connections, and nobody else has any."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from factmill.runtime.service.own_listener import OwnListenerLoop, bound_for_all

CLIENTS = 64


@pytest.fixture
def kept() -> Iterator[socket.socket]:
    with bound_for_all(("127.0.0.1", 0), socket.AF_INET) as kept:
        yield kept


class _Accepted(asyncio.Protocol):
    def __init__(self, made: list[asyncio.BaseTransport]) -> None:
        self._made = made

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._made.append(transport)


def test_two_loops_at_one_address_share_the_connections_of_a_client(kept: socket.socket) -> None:
    made: list[list[asyncio.BaseTransport]] = [[], []]
    with ExitStack() as opened:
        loops = [opened.enter_context(closing(OwnListenerLoop())) for _ in made]
        servers = [
            loop.run_until_complete(
                loop.create_server(lambda own=own: _Accepted(own), sock=kept, backlog=CLIENTS)
            )
            for loop, own in zip(loops, made, strict=True)
        ]
        for _ in range(CLIENTS):
            opened.enter_context(socket.create_connection(kept.getsockname(), timeout=10))
        while sum(map(len, made)) < CLIENTS:
            for loop in loops:
                loop.run_until_complete(asyncio.sleep(0))
        for loop, own, server in zip(loops, made, servers, strict=True):
            for transport in own:
                transport.close()
            server.close()
            loop.run_until_complete(asyncio.sleep(0))
    # A loop would have fewer once in ten million runs.
    assert min(map(len, made)) > CLIENTS // 6


def test_address_is_refused_while_somebody_listens_there(kept: socket.socket) -> None:
    with closing(OwnListenerLoop()) as loop:
        server = loop.run_until_complete(loop.create_server(asyncio.Protocol, sock=kept))
        with pytest.raises(OSError, match="in use"), bound_for_all(kept.getsockname(), kept.family):
            pytest.fail("it was bound twice")
        server.close()
        loop.run_until_complete(asyncio.sleep(0))


def test_nobody_is_answered_before_a_loop_listens(kept: socket.socket) -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(kept.getsockname(), timeout=10)


@pytest.mark.skipif(sys.platform != "linux", reason="names of sockets without a file are Linux's")
def test_address_is_refused_before_anybody_listens_there(kept: socket.socket) -> None:
    address = kept.getsockname()
    kept.close()
    with (
        bound_for_all(address, socket.AF_INET),
        pytest.raises(OSError, match="in use"),
        bound_for_all(address, socket.AF_INET),
    ):
        pytest.fail("it was bound twice")
    with bound_for_all(address, socket.AF_INET) as again:
        assert again.getsockname() == address

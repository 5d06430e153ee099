"""A bound on the bytes of a response before its body: the HTTP library has none.

A server may send interim responses ("100 Continue") without end, each of which is read and dropped.
Knows nothing of HTTP: what is written begins a request, and `begin_body` ends what is bounded.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from typing import Any

import httpcore2
import httpx2

# The library takes headers of up to 100 KB. It reads 64 KiB at once, a part of the body with it.
MAX_BYTES = 1 << 18


class _HeadBoundedStream(httpcore2.AsyncNetworkStream):
    """A stream that bounds what is read after a write, until the body begins."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._bytes_left: float = MAX_BYTES

    def begin_body(self) -> None:
        self._bytes_left = float("inf")

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = await self._stream.read(max_bytes, timeout)
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            raise httpcore2.RemoteProtocolError(f"over {MAX_BYTES:,} bytes before an answer")
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._bytes_left = MAX_BYTES
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        return _HeadBoundedStream(
            await self._stream.start_tls(ssl_context, server_hostname, timeout)
        )

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _HeadBoundedBackend(httpcore2.AsyncNetworkBackend):
    def __init__(self, backend: httpcore2.AsyncNetworkBackend) -> None:
        self._backend = backend

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        stream = await self._backend.connect_tcp(host, port, timeout, local_address, socket_options)
        return _HeadBoundedStream(stream)

    async def sleep(self, seconds: float) -> None:
        await self._backend.sleep(seconds)


def bound_heads(client: httpx2.AsyncClient) -> None:
    """Bound what all connections of a new client read before a body."""
    for transport in (client._transport, *client._mounts.values()):
        # The library gives no other way to its connections, which take a backend as an argument.
        pool = getattr(transport, "_pool", None)
        if isinstance(pool, httpcore2.AsyncConnectionPool):
            pool._network_backend = _HeadBoundedBackend(pool._network_backend)


def begin_body(response: httpx2.Response) -> None:
    """The response's headers have arrived."""
    stream = response.extensions.get("network_stream")
    if isinstance(stream, _HeadBoundedStream):
        stream.begin_body()

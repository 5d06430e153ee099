"""Servers that send something else before their answer, and how much of it is read."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from factmill.models.llm.bounded_network import MAX_BYTES
from factmill.models.llm.connection import Connection, NoResponse
from factmill.models.llm.endpoint import Endpoint

_INTERIM = b"HTTP/1.1 100 Continue\r\n\r\n"
_BODY = b'{"large": "' + b"x" * (2 * MAX_BYTES) + b'"}'
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)


def _received(said: Sequence[bytes], times: int, proxy: bool = False) -> list[bytes]:
    """The bodies of that many responses over one connection, of a server that says this each time,
    or of a proxy that does.
    """

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                for part in said:
                    writer.write(part)
                    await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def work() -> list[bytes]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        with pytest.MonkeyPatch.context() as patch:
            if proxy:
                patch.setenv("http_proxy", address)
            url = "http://llm.example/v1" if proxy else f"{address}/v1"
            connection = Connection(Endpoint(url, "tiny"))
        try:
            return [(await connection.get("/models", 20.0, "probe")).content for _ in range(times)]
        finally:
            await connection.close()
            server.close()

    return asyncio.run(asyncio.wait_for(work(), 30.0))


@pytest.mark.parametrize("proxy", [False, True])
def test_interim_responses_without_end_are_cut_off(proxy: bool) -> None:
    count = 2 * MAX_BYTES // len(_INTERIM)
    with pytest.raises(NoResponse, match="before an answer") as caught:
        _received([_INTERIM * count, _ANSWER], 1, proxy)
    assert caught.value.sent


def test_the_bound_is_for_each_response_and_not_for_its_body() -> None:
    count = MAX_BYTES // len(_INTERIM) // 2
    assert _received([_INTERIM * count, _ANSWER], 3) == [_BODY] * 3

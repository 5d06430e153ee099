"""Ends work for a client that has disconnected: an answer costs calls to an LLM, and nobody would
get it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request

from factmill.runtime.service.problems import Problem

T = TypeVar("T")


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`. It is cancelled when the client disconnects, which raises Problem. The
    body of the request must have been read.
    """
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Problem(400, "disconnected", "the client did not wait for the answer")
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass

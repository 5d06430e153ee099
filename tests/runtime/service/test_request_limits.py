"""The bounds on requests, without a network: the layers are called as a server calls them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from factmill.runtime.service.problems import Problem
from factmill.runtime.service.request_limits import RequestLimits
from factmill.runtime.service.search_threads import SearchThreads
from factmill.runtime.service.service_settings import ServiceLimits

Answering = Callable[[Scope, Receive, Send], Awaitable[None]]


def scope(client: str = "1.1.1.1", path: str = "/v1/search", **headers: str) -> Scope:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "path": path, "client": (client, 1), "headers": raw}


async def nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def unsent(_: Message) -> None:
    return None


def limits_on(app: Answering, seconds: float = 60, **limits: Any) -> RequestLimits:
    return RequestLimits(app, ServiceLimits(**limits), seconds, frozenset({"/healthz"}), {})


def test_requests_beyond_the_number_are_refused_until_others_end() -> None:
    async def work() -> list[int]:
        let_go = asyncio.Event()

        async def waits(*_: Any) -> None:
            await let_go.wait()

        limited = limits_on(waits, requests=3, requests_a_client=2)
        running = [
            asyncio.create_task(limited(scope(client), nothing, unsent))
            for client in ("1.1.1.1", "1.1.1.1", "2.2.2.2")
        ]
        await asyncio.sleep(0)
        statuses = []
        for client in ("3.3.3.3", "1.1.1.1"):
            with pytest.raises(Problem) as refused:
                await limited(scope(client), nothing, unsent)
            statuses.append(refused.value.status)
            assert refused.value.headers["retry-after"] == "1"
        running[2].cancel()
        await asyncio.wait([running[2]])
        with pytest.raises(Problem) as refused:
            await limited(scope("1.1.1.1"), nothing, unsent)
        statuses.append(refused.value.status)
        let_go.set()
        await limited(scope("2.2.2.2"), nothing, unsent)
        await limited(scope("1.1.1.1", "/healthz"), nothing, unsent)
        await asyncio.gather(*running[:2])
        await limited(scope("1.1.1.1"), nothing, unsent)
        return statuses

    assert asyncio.run(work()) == [503, 503, 429]


def test_request_that_takes_too_long_ends() -> None:
    async def waits(*_: Any) -> None:
        await asyncio.Event().wait()

    with pytest.raises(Problem) as ended:
        asyncio.run(limits_on(waits, seconds=0.01)(scope(), nothing, unsent))

    assert ended.value.status == 503


def test_request_that_is_cancelled_is_no_problem() -> None:
    async def work() -> None:
        async def waits(*_: Any) -> None:
            await asyncio.Event().wait()

        running = asyncio.create_task(limits_on(waits)(scope(), nothing, unsent))
        await asyncio.sleep(0)
        running.cancel()
        await running

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(work())


def test_body_is_bounded_however_it_comes() -> None:
    chunks = iter([b"12345", b"67890", b"1"])

    async def receive() -> Message:
        return {"type": "http.request", "body": next(chunks), "more_body": True}

    async def reads(_: Scope, receive: Receive, __: Send) -> None:
        while True:
            await receive()

    with pytest.raises(Problem) as long:
        asyncio.run(limits_on(reads, body_bytes=10)(scope(), receive, unsent))
    with pytest.raises(Problem) as said:
        asyncio.run(limits_on(reads, body_bytes=10)(scope(content_length="11"), receive, unsent))

    assert (long.value.status, said.value.status) == (413, 413)
    assert next(chunks, None) is None


def test_searches_wait_for_a_thread_and_are_refused_when_too_many_do() -> None:
    let_go = threading.Event()

    async def work() -> list[Any]:
        threads = SearchThreads(1, 2, 30)
        running = [asyncio.create_task(threads.run(let_go.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Problem) as refused:
            await threads.run(lambda: 1)
        let_go.set()
        await asyncio.gather(*running)
        found = [refused.value.status, await threads.run(lambda: 2)]
        threads.close()
        return found

    assert asyncio.run(work()) == [503, 2]


def test_search_that_takes_too_long_keeps_its_room_until_it_ends() -> None:
    let_go = threading.Event()

    async def work() -> list[int]:
        threads = SearchThreads(1, 1, 0.01)
        statuses = []
        for _ in range(2):
            with pytest.raises(Problem) as refused:
                await threads.run(let_go.wait)
            statuses.append(refused.value.detail)
        let_go.set()
        threads.close()
        return statuses

    first, second = asyncio.run(work())
    assert "took more than" in first
    assert "too many searches" in second

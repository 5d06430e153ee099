"""Runs searches in a few threads, with a bounded queue."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from factmill.runtime.service.problems import Problem, busy
from factmill.runtime.service.time_limit import TimeLimit

T = TypeVar("T")


class SearchThreads:
    """`threads` calls run at once; when `most` are running or waiting, further ones are refused."""

    def __init__(self, threads: int, most: int, seconds: float) -> None:
        self._pool = ThreadPoolExecutor(threads, "factmill-searching")
        self._most, self._seconds = most, seconds
        self._lock, self._running = threading.Lock(), 0

    async def run(self, work: Callable[[], T]) -> T:
        """The result or error of `work`. Raises Problem when there is no capacity, or when it is
        late; late work still runs to its end and uses capacity until then.
        """
        with self._lock:
            if self._running >= self._most:
                raise busy("too many searches are waiting")
            self._running += 1
        future = self._pool.submit(work)
        future.add_done_callback(self._ended)
        with TimeLimit(self._seconds, self._late):
            return await asyncio.wrap_future(future)

    def _late(self) -> Problem:
        return busy(f"the search took more than {self._seconds:g} s")

    def _ended(self, _: Future[T]) -> None:
        with self._lock:
            self._running -= 1

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

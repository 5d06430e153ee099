"""Awaits where an event loop runs already, as in a notebook: in a thread with a loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, Generic, TypeVar

R = TypeVar("R")

# Python may handle a signal that comes right before a wait when the wait ends.
_SECONDS_TO_SIGNALS = 0.5


def awaited_in_thread(asked: Coroutine[Any, Any, R]) -> R:
    """The result; cancelled when the caller is interrupted (Ctrl-C)."""
    work = _Cancellable(asked)
    with ThreadPoolExecutor(1, "factmill-answer") as thread:
        try:
            awaiting = thread.submit(asyncio.run, work.run())
            while not awaiting.done():
                wait([awaiting], _SECONDS_TO_SIGNALS)
            return awaiting.result()
        finally:
            work.cancel()


class _Cancellable(Generic[R]):
    """Work that another thread can cancel, also before it begins and when it is done."""

    def __init__(self, asked: Coroutine[Any, Any, R]) -> None:
        self._asked = asked
        self._lock = threading.Lock()
        self._begun: tuple[asyncio.AbstractEventLoop, asyncio.Task[R]] | None = None
        self._is_cancelled = False

    async def run(self) -> R:
        task = asyncio.ensure_future(self._asked)
        with self._lock:
            self._begun = asyncio.get_running_loop(), task
            if self._is_cancelled:
                task.cancel()
        return await task

    def cancel(self) -> None:
        with self._lock:
            self._is_cancelled = True
            begun = self._begun
        if begun is not None:
            loop, task = begun
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(task.cancel)

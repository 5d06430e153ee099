"""A time limit for a block, like `asyncio.timeout`, which Python 3.10 does not have."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from types import TracebackType


class TimeLimit:
    """After `seconds`, the await inside the block is cancelled, and the block raises the error that
    `late` makes.

    `asyncio.wait_for` would run a coroutine in a task of its own: three more turns of the event
    loop, several times per request.
    """

    def __init__(self, seconds: float, late: Callable[[], Exception]) -> None:
        self._seconds, self._late = seconds, late
        self._expired = False

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._expire)

    def _expire(self) -> None:
        self._expired = True
        self._task.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._timer.cancel()
        if self._expired and kind is asyncio.CancelledError:
            if sys.version_info >= (3, 11):
                self._task.uncancel()
            raise self._late() from None

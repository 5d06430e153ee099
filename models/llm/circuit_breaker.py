"""What holds all requests back at once: a server that is not ready, asks to wait, or is down.

A circuit breaker. It is shut before the first request and after failures in a row, and opens when
the server answers again; the deadlines of calls stand still meanwhile. Knows nothing of HTTP: how
the server is asked is given to it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import anyio

from factmill.schemas.errors import FactmillError, ServerDown

# More in a row than happen to a server that is in order, and fewer than one call may have. To look
# once too often costs a few tokens.
FAILURES_IN_A_ROW = 5


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the gate waits for the server, and how often it asks."""

    seconds: float
    first_wait: float
    longest_wait: float


class Gate:
    """`probe(again)` says whether the server answers, and raises FactmillError when it never will;
    `again` is set when it answered before, so that more than its readiness is in doubt."""

    def __init__(self, probe: Callable[[bool], Awaitable[bool]], patience: Patience) -> None:
        self._probe, self._patience = probe, patience
        self._opening: asyncio.Task[None] | None = None
        self._is_open = False
        self._ended: FactmillError | None = None
        self._over: asyncio.Future[None] | None = None
        self._wait_until = 0.0
        self._failures = 0
        self.last_failure = ""
        # Deadlines of running calls; while the gate is shut, the seconds that were left to them.
        self._timers: dict[anyio.CancelScope, float] = {}

    async def passed(self) -> None:
        """Return when a request may be sent. Raises the error that ended everything."""
        while True:
            if self._ended is not None:
                raise type(self._ended)(str(self._ended))
            if not self._is_open:
                if self._opening is None:
                    self._opening = asyncio.create_task(self._open(again=False))
                await asyncio.shield(self._opening)
            elif (seconds := self._wait_until - time.monotonic()) > 0:
                await self.sleep(seconds)
            else:
                return

    async def sleep(self, seconds: float) -> None:
        """Sleep, but not on when all has ended."""
        if self._over is None:
            self._over = asyncio.get_running_loop().create_future()
            if self._ended is not None:
                self._over.set_result(None)
        await asyncio.wait([self._over], timeout=seconds)

    def answered(self) -> None:
        """The server answered somebody."""
        self._failures = 0

    def failed(self, why: str) -> None:
        """The server failed; after many times in a row nobody is let through until it answers."""
        self._failures += 1
        self.last_failure = why
        if self._failures >= FAILURES_IN_A_ROW and self._is_open:
            self._is_open = False
            now = asyncio.get_running_loop().time()
            for timer in self._timers:
                self._timers[timer] = timer.deadline - now
                timer.deadline = float("inf")
            self._opening = asyncio.create_task(self._open(again=True))

    def hold(self, seconds: float) -> None:
        """The server asked everybody to wait."""
        if seconds > self._patience.seconds:
            self.end(ServerDown(f"the LLM server asks to wait {seconds:,.0f} s"))
        self._wait_until = max(self._wait_until, time.monotonic() + seconds)

    def end(self, error: FactmillError) -> FactmillError:
        """Let nobody through any more; everybody gets this error (its message, in one of its own).
        The first error stays."""
        if self._ended is None:
            self._ended = error
            if self._over is not None:
                self._over.set_result(None)
        return error

    @contextmanager
    def timing(self, timer: anyio.CancelScope, seconds: float) -> Iterator[None]:
        """Give the scope `seconds`, not counting the time in which the gate is shut."""
        self._timers[timer] = seconds
        self.allow(timer, seconds)
        try:
            yield
        finally:
            del self._timers[timer]

    def allow(self, timer: anyio.CancelScope, seconds: float) -> None:
        """Give a call that is timed `seconds` from now."""
        if self._is_open:
            timer.deadline = asyncio.get_running_loop().time() + seconds
        else:
            self._timers[timer] = seconds

    async def close(self) -> None:
        """Stop asking the server."""
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait([self._opening])

    async def _open(self, again: bool) -> None:
        wait = self._patience.first_wait
        try:
            with anyio.move_on_after(self._patience.seconds) as waiting:
                while not await self._probe(again):
                    await asyncio.sleep(max(wait, self._wait_until - time.monotonic()))
                    wait = min(2 * wait, self._patience.longest_wait)
        except FactmillError as error:
            self.end(error)
            return
        if waiting.cancelled_caught:
            self.end(ServerDown(f"the LLM server does not answer: {self.last_failure}"))
            return
        self._failures, self._is_open = 0, True
        now = asyncio.get_running_loop().time()
        for timer, seconds in self._timers.items():
            timer.deadline = now + seconds

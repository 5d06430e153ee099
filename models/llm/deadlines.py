"""Deadlines of calls that pause while no request may be sent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import anyio


class PausableDeadlines:
    """Sets the deadlines of cancel scopes. Starts paused."""

    def __init__(self) -> None:
        self.is_paused = True
        # Scopes of running calls, and while paused, their remaining seconds.
        self._seconds_left: dict[anyio.CancelScope, float] = {}

    @contextmanager
    def limit(self, scope: anyio.CancelScope, seconds: float) -> Iterator[None]:
        """Give the scope `seconds` within the block, not counting pauses."""
        self._seconds_left[scope] = seconds
        self.restart(scope, seconds)
        try:
            yield
        finally:
            del self._seconds_left[scope]

    def restart(self, scope: anyio.CancelScope, seconds: float) -> None:
        """Give a limited scope `seconds` from now."""
        if self.is_paused:
            self._seconds_left[scope] = seconds
        else:
            scope.deadline = asyncio.get_running_loop().time() + seconds

    def pause(self) -> None:
        """Stop all clocks, if they run."""
        if self.is_paused:
            return
        self.is_paused = True
        now = asyncio.get_running_loop().time()
        for scope in self._seconds_left:
            self._seconds_left[scope] = scope.deadline - now
            scope.deadline = float("inf")

    def resume(self) -> None:
        """Restart all clocks."""
        self.is_paused = False
        now = asyncio.get_running_loop().time()
        for scope, seconds in self._seconds_left.items():
            scope.deadline = now + seconds

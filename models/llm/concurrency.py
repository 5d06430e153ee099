"""A bound on what runs at the same time, in which whoever was in before goes first.

`asyncio.Semaphore` serves strictly in order: a request that is repeated would wait behind all that
were never sent, with its deadline running.
"""

from __future__ import annotations

import asyncio
from collections import deque


class Slots:
    """`count` places. A freed place is handed to a waiting one at once; nobody can overtake it."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: tuple[deque[asyncio.Future[None]], ...] = (deque(), deque())

    async def acquire(self, again: bool) -> None:
        """Wait for a place; `again` waits only behind others that come again."""
        if self._free:
            self._free -= 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting[0 if again else 1].append(place)
        try:
            await place
        except asyncio.CancelledError:
            # Either nobody is to hand a place over any more, or it was done in the same moment.
            if not place.cancel() and not place.cancelled():
                self.release()
            raise

    def release(self) -> None:
        for queue in self._waiting:
            while queue:
                place = queue.popleft()
                if not place.done():
                    place.set_result(None)
                    return
        self._free += 1

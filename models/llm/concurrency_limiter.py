"""Limits concurrent requests. Retries go first.

`asyncio.Semaphore` is strictly first come, first served: a retried request would wait behind all
unsent ones, with its deadline running.
"""

from __future__ import annotations

import asyncio
from collections import deque


class ConcurrencyLimiter:
    """At most `limit` permits are in use. A returned permit goes directly to a waiting request, so
    no request can overtake it.
    """

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._waiting_retries: deque[asyncio.Future[None]] = deque()
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def acquire(self, is_retry: bool) -> None:
        """Wait for a permit; a retry waits only behind other retries."""
        if self._free:
            self._free -= 1
            return
        permit = asyncio.get_running_loop().create_future()
        (self._waiting_retries if is_retry else self._waiting).append(permit)
        try:
            await permit
        except asyncio.CancelledError:
            # Either no permit will be handed over any more, or one just was.
            if not permit.cancel() and not permit.cancelled():
                self.release()
            raise

    def release(self) -> None:
        """Return a permit."""
        for queue in (self._waiting_retries, self._waiting):
            while queue:
                permit = queue.popleft()
                if not permit.done():
                    permit.set_result(None)
                    return
        self._free += 1

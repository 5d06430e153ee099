"""The readiness probe: repeated until the server is ready, or for too long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import anyio

from factmill.models.llm.rate_limit import RateLimit
from factmill.models.llm.retry_policy import RetryPolicy


async def wait_until_ready(
    probe: Callable[[], Awaitable[bool]], policy: RetryPolicy, rate_limit: RateLimit
) -> bool:
    """Probe until the server is ready; False after `policy.outage_seconds`.

    Waits between probes double, and are never shorter than the rate limit.
    """
    wait = policy.backoff_seconds
    with anyio.move_on_after(policy.outage_seconds) as limit:
        while not await probe():
            await asyncio.sleep(max(wait, rate_limit.seconds_left))
            wait = min(2 * wait, policy.max_backoff_seconds)
    return not limit.cancelled_caught

"""Blocks that take too long end; others are left alone."""

from __future__ import annotations

import asyncio
import sys

import pytest

from factmill.runtime.service.time_limit import TimeLimit


class _LateError(Exception):
    """What a test's block raises when its time is over."""


def test_block_that_takes_too_long_raises_and_its_task_goes_on() -> None:
    async def work() -> int:
        with pytest.raises(_LateError), TimeLimit(0.001, _LateError):
            await asyncio.Event().wait()
        await asyncio.sleep(0)
        task = asyncio.current_task()
        assert task is not None
        return task.cancelling() if sys.version_info >= (3, 11) else 0

    assert asyncio.run(work()) == 0


def test_block_that_ends_in_time_is_not_ended_later() -> None:
    async def work() -> None:
        with TimeLimit(0.001, _LateError):
            pass
        await asyncio.sleep(0.003)

    asyncio.run(work())


def test_block_that_somebody_else_cancels_is_not_late() -> None:
    async def limited() -> None:
        with TimeLimit(60, _LateError):
            await asyncio.Event().wait()

    async def work() -> None:
        task = asyncio.create_task(limited())
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(work())

"""Runs the parts of a question concurrently, none longer than all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def concurrently(steps: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results in order. When a step raises, the others are cancelled and have ended before its
    exception is passed on, so that none of them asks the LLM after the answer is given.
    """
    tasks = [asyncio.ensure_future(step) for step in steps]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

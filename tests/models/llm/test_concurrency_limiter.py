"""A bound on what runs at the same time, whoever is cancelled."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.llm.concurrency_limiter import ConcurrencyLimiter
from tests.models.llm.client_calls import run


@given(
    st.integers(1, 4),
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 4), st.none() | st.integers(0, 9)), max_size=30
    ),
)
@settings(max_examples=100)
def test_bound_holds_and_every_permit_comes_back(
    count: int, visits: list[tuple[bool, int, int | None]]
) -> None:
    """Visits stay for some turns of the loop; some are cancelled at a turn."""

    async def work() -> None:
        limiter = ConcurrencyLimiter(count)
        inside = 0

        async def visit(is_retry: bool, turns: int) -> None:
            nonlocal inside
            await limiter.acquire(is_retry)
            inside += 1
            assert inside <= count
            try:
                for _ in range(turns):
                    await asyncio.sleep(0)
            finally:
                inside -= 1
                limiter.release()

        tasks = [asyncio.create_task(visit(is_retry, turns)) for is_retry, turns, _ in visits]
        for turn in range(10):
            for task, (_, _, cancelled) in zip(tasks, visits, strict=True):
                if cancelled == turn:
                    task.cancel()
            await asyncio.sleep(0)
        await asyncio.gather(*tasks, return_exceptions=True)
        for _ in range(count):  # all are free: none of these waits
            await asyncio.wait_for(limiter.acquire(False), 0.5)

    run(work())


def test_retries_go_first_and_the_others_in_order() -> None:
    async def work() -> None:
        limiter, order = ConcurrencyLimiter(1), list[str]()

        async def visit(name: str, is_retry: bool) -> None:
            await limiter.acquire(is_retry)
            order.append(name)
            limiter.release()

        await limiter.acquire(False)
        visits = [("a", False), ("b", False), ("retry", True), ("c", False)]
        tasks = [asyncio.create_task(visit(name, is_retry)) for name, is_retry in visits]
        await asyncio.sleep(0)
        limiter.release()
        await asyncio.gather(*tasks)
        assert order == ["retry", "a", "b", "c"]

    run(work())


def test_permit_handed_over_to_a_cancelled_one_goes_on() -> None:
    async def work() -> None:
        limiter = ConcurrencyLimiter(1)
        await limiter.acquire(False)
        first = asyncio.create_task(limiter.acquire(False))
        second = asyncio.create_task(limiter.acquire(False))
        await asyncio.sleep(0)
        limiter.release()  # to the first, which is cancelled before it can run
        first.cancel()
        await asyncio.wait_for(second, 1)

    run(work())

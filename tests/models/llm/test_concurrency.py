"""A bound on what runs at the same time, whoever is cancelled."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.llm.concurrency import Slots
from tests.models.llm.asking import run


@given(
    st.integers(1, 4),
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 4), st.none() | st.integers(0, 9)), max_size=30
    ),
)
@settings(max_examples=100, deadline=None)
def test_bound_holds_and_every_place_comes_back(
    count: int, visits: list[tuple[bool, int, int | None]]
) -> None:
    """Visits stay for some turns of the loop; some are cancelled at a turn."""

    async def work() -> None:
        slots = Slots(count)
        inside = 0

        async def visit(again: bool, turns: int) -> None:
            nonlocal inside
            await slots.acquire(again)
            inside += 1
            assert inside <= count
            try:
                for _ in range(turns):
                    await asyncio.sleep(0)
            finally:
                inside -= 1
                slots.release()

        tasks = [asyncio.create_task(visit(again, turns)) for again, turns, _ in visits]
        for turn in range(10):
            for task, (_, _, cancelled) in zip(tasks, visits, strict=True):
                if cancelled == turn:
                    task.cancel()
            await asyncio.sleep(0)
        await asyncio.gather(*tasks, return_exceptions=True)
        for _ in range(count):  # all are free: none of these waits
            await asyncio.wait_for(slots.acquire(False), 0.5)

    run(work())


def test_whoever_comes_again_goes_first_and_the_others_in_order() -> None:
    async def work() -> None:
        slots, order = Slots(1), list[str]()

        async def visit(name: str, again: bool) -> None:
            await slots.acquire(again)
            order.append(name)
            slots.release()

        await slots.acquire(False)
        visits = [("a", False), ("b", False), ("again", True), ("c", False)]
        tasks = [asyncio.create_task(visit(name, again)) for name, again in visits]
        await asyncio.sleep(0)
        slots.release()
        await asyncio.gather(*tasks)
        assert order == ["again", "a", "b", "c"]

    run(work())


def test_place_handed_over_to_a_cancelled_one_goes_on() -> None:
    async def work() -> None:
        slots = Slots(1)
        await slots.acquire(False)
        first = asyncio.create_task(slots.acquire(False))
        second = asyncio.create_task(slots.acquire(False))
        await asyncio.sleep(0)
        slots.release()  # to the first, which is cancelled before it can run
        first.cancel()
        await asyncio.wait_for(second, 1)

    run(work())

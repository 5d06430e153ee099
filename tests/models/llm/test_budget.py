"""A hard limit of tokens, whatever runs at the same time."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.llm.budget import Budget
from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.completion import Completion
from factmill.schemas.errors import BudgetSpent
from tests.llm_server import Faults, LlmServer
from tests.models.llm.client_calls import ask, echo, endpoint, run

# Of a request: the most that it may use, what it uses, how many turns of the loop it takes, and
# whether it is cancelled on the way.
REQUESTS = st.lists(
    st.tuples(st.integers(1, 30), st.integers(0, 30), st.integers(0, 5), st.booleans()), max_size=25
)


@given(REQUESTS, st.integers(0, 100))
@settings(max_examples=100)
def test_limit_holds_and_only_what_does_not_fit_is_turned_away(
    requests: list[tuple[int, int, int, bool]], limit: int
) -> None:
    async def work() -> None:
        budget = Budget(limit)

        async def request(most: int, used: int, turns: int) -> None:
            await budget.reserve(most)
            assert budget.spent + budget.reserved <= limit
            try:
                for _ in range(turns):
                    await asyncio.sleep(0)
            finally:
                budget.settle(most, min(used, most))

        tasks = [asyncio.create_task(request(most, used, n)) for most, used, n, _ in requests]
        await asyncio.sleep(0)
        for task, (*_, cancelled) in zip(tasks, requests, strict=True):
            if cancelled:
                task.cancel()
                await asyncio.sleep(0)
        ends = await asyncio.gather(*tasks, return_exceptions=True)

        assert budget.reserved == 0
        assert budget.spent <= limit
        for end, (most, *_) in zip(ends, requests, strict=True):
            assert end is None or isinstance(end, BudgetSpent | asyncio.CancelledError)
            assert not isinstance(end, BudgetSpent) or budget.spent + most > limit

    run(work())


def test_waits_for_reservations_that_may_be_given_back() -> None:
    async def work() -> None:
        budget = Budget(10)
        await budget.reserve(8)
        second = asyncio.create_task(budget.reserve(6))
        await asyncio.sleep(0)
        assert not second.done()
        budget.settle(8, 4)
        await second
        assert (budget.spent, budget.reserved) == (4, 6)

    run(work())


def test_small_request_does_not_overtake_a_waiting_one() -> None:
    async def work() -> None:
        budget = Budget(10)
        await budget.reserve(8)
        big = asyncio.create_task(budget.reserve(6))
        await asyncio.sleep(0)
        small = asyncio.create_task(budget.reserve(1))
        await asyncio.sleep(0)
        assert not small.done()
        budget.settle(8, 0)
        await asyncio.gather(big, small)

    run(work())


def test_what_fits_never_is_spent() -> None:
    async def work() -> None:
        budget = Budget(10)
        with pytest.raises(BudgetSpent):
            await budget.reserve(11)
        await budget.reserve(10)

    run(work())


def test_client_never_takes_more_than_the_budget() -> None:
    """The server counts the most that a tokenizer can make: a token of every byte; what it wrote
    into answers that got lost counts, too."""
    limit = 4000
    faults = Faults(0.5, ("half_body", "half_json"), seed=3)

    async def work(server: LlmServer) -> tuple[int, int]:
        async with OpenAIClient(endpoint(server, request_seconds=0.2), Budget(limit)) as client:
            done = await asyncio.gather(
                *(ask(client, f"question {n} äöü") for n in range(80)), return_exceptions=True
            )
            assert {type(one) for one in done} == {Completion, BudgetSpent}
            return sum(isinstance(one, Completion) for one in done), client.used.tokens

    with LlmServer(echo, faults, count=lambda text: len(text.encode())) as server:
        answered, used = run(work(server))

    assert used <= server.billed <= limit
    assert answered >= 8

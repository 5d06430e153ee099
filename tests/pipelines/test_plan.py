from __future__ import annotations

import pytest

from factmill.models.llm.completion import Usage
from factmill.pipelines.plan import Plan

PLAN = Plan(pages=3, segments=9, segments_new=9, usage=Usage(9, 1_000_000, 500_000))


def test_plan_without_prices_names_no_cost() -> None:
    assert PLAN.as_json(None, None)["cost"] is None
    text = PLAN.text(None, None)
    assert "no estimate of the cost" in text
    assert "0.00" not in text


@pytest.mark.parametrize(
    ("prices", "cost"), [((2.0, 8.0), 6.0), ((2.0, None), 2.0), ((None, 8.0), 4.0), ((0.0, 0.0), 0)]
)
def test_plan_with_a_price_counts_the_missing_one_as_nothing(
    prices: tuple[float | None, float | None], cost: float
) -> None:
    assert PLAN.as_json(*prices)["cost"] == cost
    assert f"cost {cost:.2f} at {prices[0] or 0:g} and {prices[1] or 0:g} a" in PLAN.text(*prices)

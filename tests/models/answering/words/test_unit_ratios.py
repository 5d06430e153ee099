"""Units and what they are of each other."""

from __future__ import annotations

import pytest

from factmill.models.answering.calculator.calculator_units import unit_named
from factmill.models.answering.words.unit_ratios import ratio


def test_ratios_are_those_of_the_calculator() -> None:
    mile, foot = unit_named("mile"), unit_named("foot")

    assert ratio("miles", "feet") == mile.base / foot.base == 5280
    assert float(ratio("mph", "km/h") or 0) == pytest.approx(1.609344)


@pytest.mark.parametrize(
    ("unit", "other"), [("mile", "kg"), ("wug", "foot"), ("mile", ""), ("km/h", "km"), ("/", "/")]
)
def test_units_of_different_kinds_have_none(unit: str, other: str) -> None:
    assert ratio(unit, other) is None

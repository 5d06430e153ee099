"""The calculator: what it computes, exactly, and what it refuses."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from factmill.models.answering.calculator.calculator import calculate
from factmill.models.answering.calculator.calculator_tokens import BadExpression
from factmill.models.answering.calculator.calculator_units import _units, unit_named
from tests.models.answering.made_expressions import hostile, valid


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("(12.5 - 9) / 9 * 100", "38.8888888889"),
        ("0.1 + 0.2 == 0.3", "yes"),
        ("20% of 1,250", "250"),
        ("1,234,567 + 1", "1234568"),
        ("max(1,200)", "200"),
        ("10 % 3", "1"),
        ("3.5 billion - 1.2 billion", "2300000000"),
        ("mean([1, 2, 6])", "3"),
        ("-7 // 2", "-4"),
        ("2 ** -3", "0.125"),
        ("8 ** (1/3)", "2"),
        ("sqrt(2)", "1.41421356237"),
        ("round(2.5)", "3"),
        ("round(-1/3, 2)", "-0.33"),
        ("1 < 2 < 2", "no"),
        ("1e3 − 1 × 2 ÷ 4", "999.5"),
    ],
)
def test_numbers_are_computed_exactly(expression: str, text: str) -> None:
    assert calculate(expression).text == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("100 km / 2 hours", "50 kilometer/hour"),
        ("10 m / 5 m", "2"),
        ("5 m ** 2 / 2 m", "2.5 meter"),
        ("to(5 miles, km)", "8.04672 kilometer"),
        ("3 km > 2 miles", "no"),
        ("sum(1 km, 500 m)", "1.5 kilometer"),
        ("$3.5 billion / 2", "1750000000 USD"),
        ("abs(-3 kg)", "3 kilogram"),
    ],
)
def test_quantities_keep_their_units(expression: str, text: str) -> None:
    assert calculate(expression).text == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("2024-03-01 - 2024-02-01", "29 day"),
        ("date('2024-01-31') + 1 month", "2024-02-29"),
        ("2023-12-31 - 2 weeks", "2023-12-17"),
        ("years_between(1961-05-03, 2024-05-02)", "62"),
        ("max(2020-01-01, 2021-05-05)", "2021-05-05"),
        ("date(2024, 2, 29) < 2024-03-01", "yes"),
    ],
)
def test_dates_are_calendar_days(expression: str, text: str) -> None:
    assert calculate(expression).text == text


def test_units_are_those_of_pint() -> None:
    import pint

    registry = pint.UnitRegistry(non_int_type=Fraction)
    other_names = {
        "kmh": "kph", "sqft": "foot**2", "square_feet": "foot**2", "square_meter": "m**2",
        "sqm": "m**2", "square_kilometer": "km**2", "square_mile": "mile**2",
        "square_foot": "foot**2", "cubic_meter": "m**3", "sec": "second",
        "inches": "inch", "nautical_mile": "nautical_mile", "barrel": "oil_barrel",
    }  # fmt: skip
    # pint's decade is a factor of ten, and its acre that of surveyors, four millionths larger.
    left_out = {
        "USD", "EUR", "GBP", "JPY", "CHF", "dollar", "euro", "yen", "cent", "acre", "decade",
    }  # fmt: skip
    for name in set(_units()) - left_out:
        theirs = registry.Quantity(Fraction(1), other_names.get(name, name)).to_base_units()
        ours = unit_named(name)
        scale = 1000 ** sum(power for base, power in ours.powers if base == "kilogram")
        assert theirs.magnitude == ours.base or theirs.magnitude * scale == ours.base, name


def test_2000_random_expressions_equal_fractions() -> None:
    rng = random.Random(7)
    checked = 0
    while checked < 2000:
        text, value = valid(rng)
        if len(text) > 450 or value.denominator.bit_length() > 500:
            continue
        assert calculate(text).value == value, text
        checked += 1


def test_10000_hostile_expressions_are_refused() -> None:
    rng = random.Random(11)
    for _ in range(10_000):
        expression = hostile(rng)
        with pytest.raises(BadExpression) as refused:
            calculate(expression)
        assert "\n" not in str(refused.value)


def test_a_number_is_bounded_before_it_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    computed = []

    def power(base: Fraction, exponent: int) -> Fraction:
        computed.append(exponent)
        return base

    monkeypatch.setattr(Fraction, "__pow__", power)
    with pytest.raises(BadExpression, match="bits"):
        calculate("123456789 ** 999")

    assert computed == []

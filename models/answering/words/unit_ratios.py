"""How many of one unit another is: "km" of "m", "mph" of "km/h"."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache

from factmill.models.answering.calculator.calculator_tokens import BadExpression
from factmill.models.answering.calculator.calculator_units import Powers, unit_named


def ratio(unit: str, other: str) -> Fraction | None:
    """How many of another unit one of this is; None if either is unknown or they differ in kind."""
    one, per = _quantity(unit), _quantity(other)
    return one[0] / per[0] if one and per and one[1] == per[1] else None


@lru_cache(1024)
def _quantity(unit: str) -> tuple[Fraction, Powers] | None:
    """One of a unit in base units, and their powers; None if it is unknown."""
    above, _, below = unit.partition("/")
    try:
        one, per = unit_named(above), unit_named(below) if below else None
    except BadExpression:
        return None
    if per is None:
        return one.base, one.powers
    powers = Counter(dict(one.powers))
    powers.subtract(dict(per.powers))
    return one.base / per.base, tuple(sorted(powers.items()))

"""Fractions of bounded size: arithmetic that refuses before it computes something huge.

Roots are exact if rational, else decimals of 40 digits.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal, InvalidOperation, Overflow, Underflow
from fractions import Fraction
from math import gcd

from factmill.models.answering.calculator.calculator_tokens import BadExpression

# Bits of numerator and denominator together: about 1,200 digits.
MAX_BITS = 4096
MAX_EXPONENT = 1000
_LITERAL = re.compile(r"(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?")
_MAX_LITERAL_EXPONENT = 300
_MAX_DIGITS = 50
_SHOWN_DIGITS = 12
_DECIMALS = Context(prec=40, Emax=5000, Emin=-5000, traps=[InvalidOperation, Overflow, Underflow])
# An exact root is looked for among integers of at most this many bits.
_MAX_ROOT = 12


def bits(value: Fraction) -> int:
    """The size of a fraction in bits."""
    return value.numerator.bit_length() + value.denominator.bit_length()


def _fits(size: int) -> None:
    if size > MAX_BITS:
        raise BadExpression(f"a number of more than {MAX_BITS} bits")


def number_from(literal: str) -> Fraction:
    """The exact value of a literal of digits. Raises BadExpression for anything else."""
    match = _LITERAL.fullmatch(literal.replace("_", ""))
    if match is None:
        raise BadExpression(f"{literal[:20]!r} is not a number")
    if match[2] and abs(int(match[2])) > _MAX_LITERAL_EXPONENT:
        raise BadExpression(f"an exponent above {_MAX_LITERAL_EXPONENT}")
    value = Fraction(match.group())
    _fits(bits(value))
    return value


def added(one: Fraction, other: Fraction) -> Fraction:
    """The sum."""
    _fits(max(bits(one), bits(other)) + bits(one.denominator * Fraction(other.denominator)))
    return one + other


def multiplied(one: Fraction, other: Fraction) -> Fraction:
    """The product."""
    _fits(bits(one) + bits(other))
    return one * other


def divided(one: Fraction, other: Fraction) -> Fraction:
    """The quotient. Raises BadExpression for a divisor of 0; so do the next two."""
    if not other:
        raise BadExpression("division by zero")
    _fits(bits(one) + bits(other))
    return one / other


def floored(one: Fraction, other: Fraction) -> Fraction:
    """The quotient rounded towards minus infinity."""
    quotient = divided(one, other)
    return Fraction(quotient.numerator // quotient.denominator)


def remainder(one: Fraction, other: Fraction) -> Fraction:
    """The remainder of `floored`; it has the sign of `other`."""
    return added(one, -multiplied(floored(one, other), other))


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """A power; a root for a fractional exponent. Raises BadExpression for a large exponent, a root
    of a negative number, and 0 to a negative power.
    """
    if abs(exponent) > MAX_EXPONENT:
        raise BadExpression(f"an exponent above {MAX_EXPONENT}")
    if not base and exponent < 0:
        raise BadExpression("division by zero")
    if exponent.denominator == 1:
        _fits(bits(base) * abs(exponent.numerator))
        return Fraction(base**exponent.numerator)
    if base < 0:
        raise BadExpression("a root of a negative number")
    if exponent.denominator <= _MAX_ROOT and (root := _exact_root(base, exponent.denominator)):
        return power(root, Fraction(exponent.numerator))
    return _rooted(base, exponent)


def _exact_root(base: Fraction, degree: int) -> Fraction | None:
    """The root, if it is rational."""
    above, below = (_whole_root(part, degree) for part in (base.numerator, base.denominator))
    return Fraction(above, below) if above is not None and below else None


def _whole_root(value: int, degree: int) -> int | None:
    """The integer root, by bisection, which is exact for numbers of any size."""
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**degree < value else (low, middle)
    return low if low**degree == value else None


def _rooted(base: Fraction, exponent: Fraction) -> Fraction:
    try:
        number = _DECIMALS.divide(Decimal(base.numerator), Decimal(base.denominator))
        degree = _DECIMALS.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
        value = Fraction(_DECIMALS.power(number, degree))
    except (Overflow, Underflow, InvalidOperation):
        raise BadExpression("a root that is too large or too small") from None
    _fits(bits(value))
    return value


def rounded(value: Fraction, digits: Fraction) -> Fraction:
    """Rounded to `digits` decimals, halves away from zero, as people round. Raises BadExpression
    for digits that are not whole, or too many.
    """
    if digits.denominator != 1 or abs(digits) > _MAX_DIGITS:
        raise BadExpression("a number is rounded to a whole number of digits, 50 at most")
    scale = Fraction(10) ** int(digits)
    twice = 2 * abs(multiplied(value, scale)) + 1
    whole = twice.numerator // (2 * twice.denominator)
    return whole / scale if value >= 0 else -whole / scale


def number_text(value: Fraction) -> str:
    """A number in decimals: exact if it ends within 12 digits, else with 12 significant digits."""
    if value.denominator == 1:
        return str(value.numerator)
    if _ends_within(value.denominator, _SHOWN_DIGITS):
        scaled = value * 10**_SHOWN_DIGITS
        padded = f"{abs(scaled.numerator):0{_SHOWN_DIGITS + 1}d}"
        sign = "-" if value < 0 else ""
        shown = f"{padded[:-_SHOWN_DIGITS]}.{padded[-_SHOWN_DIGITS:]}"
        return sign + shown.rstrip("0").rstrip(".")
    decimal = _DECIMALS.divide(Decimal(value.numerator), Decimal(value.denominator))
    shown = f"{Context(prec=_SHOWN_DIGITS, Emax=9999, Emin=-9999).plus(decimal):f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _ends_within(denominator: int, digits: int) -> bool:
    return gcd(denominator, 10**digits) == denominator

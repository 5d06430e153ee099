"""Units of the calculator as exact multiples of base units, and quantities with units.

The factors are those of pint, and tests compare the two. pint itself takes two seconds and 40 MB to
load, while a refused expression must cost next to nothing. Amounts of money have their currency as
a base unit: nothing is exchanged.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from factmill.models.answering.calculator.calculator_numbers import (
    added,
    divided,
    multiplied,
    number_text,
    power,
)
from factmill.models.answering.calculator.calculator_tokens import BadExpression

# No real unit has a higher power.
MAX_UNIT_POWER = 8
# Base units with their powers, in the order of names.
Powers = tuple[tuple[str, int], ...]

# Name, other names, value in units listed before it.
_LENGTHS = """
meter|m|metre = ; kilometer|km|kilometre = 1000 meter; centimeter|cm|centimetre = 0.01 meter
millimeter|mm|millimetre = 0.001 meter; micrometer|um = 1e-6 meter; nanometer|nm = 1e-9 meter
inch|inches = 0.0254 meter; foot|ft|feet = 12 inch; yard|yd = 3 foot; mile|mi = 5280 foot
nautical_mile = 1852 meter
astronomical_unit|au = 149597870700 meter; light_year|lightyear = 9460730472580800 meter
"""
_AREAS = """
square_meter|sqm = 1 meter meter; square_kilometer = 1 kilometer kilometer
square_mile = 1 mile mile; square_foot|sqft|square_feet = 1 foot foot
hectare|ha = 10000 meter meter; acre = 4046.8564224 meter meter
"""
_VOLUMES = """
liter|l|litre = 0.001 meter meter meter; milliliter|ml|millilitre = 0.001 liter
cubic_meter = 1 meter meter meter; gallon = 231 inch inch inch; quart = 0.25 gallon
pint = 0.125 gallon; cup = 0.0625 gallon; barrel = 42 gallon
"""
_MASSES = """
kilogram|kg = ; gram|g = 0.001 kilogram; milligram|mg = 1e-6 kilogram
tonne|metric_ton = 1000 kilogram; pound|lb|lbs = 0.45359237 kilogram
ounce|oz = 0.0625 pound; stone = 14 pound; carat = 0.0002 kilogram
ton|short_ton = 2000 pound; long_ton = 2240 pound
"""
_TIMES = """
second|s|sec = ; minute = 60 second; hour|h|hr = 60 minute; day = 24 hour; week = 7 day
fortnight = 14 day; year|yr = 365.25 day; month = 30.4375 day; decade = 10 year
century|centuries = 100 year; millennium|millennia = 1000 year; millisecond|ms = 0.001 second
"""
_SPEEDS_AND_FORCES = """
kph|kmh = 1 kilometer / hour; mph = 1 mile / hour; knot = 1 nautical_mile / hour
newton|N = 1 kilogram meter / second second; joule|J = 1 newton meter; kilojoule|kJ = 1000 joule
calorie|cal = 4.184 joule; kilocalorie|kcal = 4184 joule; watt|W = 1 joule / second
kilowatt|kW = 1000 watt; megawatt|MW = 1e6 watt; gigawatt|GW = 1e9 watt
watt_hour|Wh = 3600 joule; kilowatt_hour|kWh = 3600000 joule; megawatt_hour|MWh = 3.6e9 joule
gigawatt_hour|GWh = 3.6e12 joule; terawatt_hour|TWh = 3.6e15 joule
pascal|Pa = 1 newton / meter meter; kilopascal|kPa = 1000 pascal; bar = 100000 pascal
atmosphere|atm = 101325 pascal; hertz|Hz = 1 / second; kilohertz|kHz = 1000 hertz
megahertz|MHz = 1e6 hertz; gigahertz|GHz = 1e9 hertz
"""
_OTHERS = """
kelvin|K = ; ampere|A = ; volt|V = 1 watt / ampere; ohm = 1 volt / ampere
bit = ; byte|B = 8 bit; kilobyte|kB = 1000 byte; megabyte|MB = 1e6 byte; gigabyte|GB = 1e9 byte
terabyte|TB = 1e12 byte
USD|dollar = ; EUR|euro = ; GBP = ; JPY|yen = ; CHF = ; cent = 0.01 USD
"""


@dataclass(frozen=True, slots=True)
class Quantity:
    """`base` in base units with `powers`; displayed in the units of `written`."""

    base: Fraction
    powers: Powers
    written: Powers

    @property
    def amount(self) -> Fraction:
        """The amount in the displayed units."""
        return divided(self.base, _worth(self.written))

    def with_amount(self, amount: Fraction) -> Quantity:
        """Another amount in the same units."""
        return Quantity(multiplied(amount, _worth(self.written)), self.powers, self.written)

    def __neg__(self) -> Quantity:
        return Quantity(-self.base, self.powers, self.written)

    def __lt__(self, other: Quantity) -> bool:
        return self.base < self.alike(other).base

    def __le__(self, other: Quantity) -> bool:
        return self.base <= self.alike(other).base

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.base == self.alike(other).base

    def __hash__(self) -> int:
        return hash((self.base, self.powers))

    def alike(self, other: Quantity) -> Quantity:
        """The other quantity, if the two are comparable. Raises BadExpression."""
        if self.powers != other.powers:
            raise BadExpression(f"{_written(self.written)} and {_written(other.written)}")
        return other

    @property
    def text(self) -> str:
        return f"{number_text(self.amount)} {_written(self.written)}"


@dataclass(frozen=True, slots=True)
class _Unit:
    name: str
    factor: Fraction
    powers: Powers


def unit_named(name: str) -> Quantity:
    """One of a unit. Raises BadExpression for an unknown name."""
    units = _units()
    unit = units.get(name) or units.get(name.removesuffix("s"))
    if unit is None:
        raise BadExpression(f"{name!r} is not a unit, number word or function")
    return Quantity(unit.factor, unit.powers, ((unit.name, 1),))


def added_quantities(one: Quantity, other: Quantity) -> Quantity:
    """The sum, in the units of the first."""
    return Quantity(added(one.base, one.alike(other).base), one.powers, one.written)


def multiplied_quantities(
    one: Quantity | Fraction, other: Quantity | Fraction
) -> Quantity | Fraction:
    """The product; a number if the units cancel."""
    first, second = _quantity(one), _quantity(other)
    return _in_joined_units(multiplied(first.base, second.base), first, second, 1)


def divided_quantities(one: Quantity | Fraction, other: Quantity | Fraction) -> Quantity | Fraction:
    """The quotient; a number if the units cancel. Raises BadExpression for a divisor of 0."""
    first, second = _quantity(one), _quantity(other)
    return _in_joined_units(divided(first.base, second.base), first, second, -1)


def _in_joined_units(
    base: Fraction, first: Quantity, second: Quantity, sign: int
) -> Quantity | Fraction:
    """A quantity in the units of both; `sign` is 1 for a product and -1 for a quotient."""
    powers = _joined(first.powers, second.powers, sign)
    if not powers:
        return base
    return Quantity(base, powers, _joined(first.written, second.written, sign))


def powered_quantity(one: Quantity, exponent: Fraction) -> Quantity | Fraction:
    """A power whose units have integer powers. Raises BadExpression otherwise."""
    powers, written = _times(one.powers, exponent), _times(one.written, exponent)
    if powers is None or written is None:
        raise BadExpression("units have whole powers, 8 at most")
    base = power(one.base, exponent)
    return Quantity(base, powers, written) if powers else base


def _quantity(value: Quantity | Fraction) -> Quantity:
    return value if isinstance(value, Quantity) else Quantity(value, (), ())


def _joined(one: Powers, other: Powers, sign: int) -> Powers:
    powers = Counter(dict(one))
    for name, exponent in other:
        powers[name] += sign * exponent
    if any(abs(exponent) > MAX_UNIT_POWER for exponent in powers.values()):
        raise BadExpression(f"a unit to a power above {MAX_UNIT_POWER}")
    return tuple(sorted((name, exponent) for name, exponent in powers.items() if exponent))


def _times(powers: Powers, exponent: Fraction) -> Powers | None:
    raised = [(name, exponent * of_name) for name, of_name in powers if exponent]
    if any(one.denominator != 1 or abs(one) > MAX_UNIT_POWER for _, one in raised):
        return None
    return tuple((name, int(one)) for name, one in raised)


def _worth(written: Powers) -> Fraction:
    worth = Fraction(1)
    for name, exponent in written:
        worth = multiplied(worth, power(_units()[name].factor, Fraction(exponent)))
    return worth


def _written(powers: Powers) -> str:
    above = " ".join(_unit_text(name, exponent) for name, exponent in powers if exponent > 0)
    below = "".join(f"/{_unit_text(name, -exponent)}" for name, exponent in powers if exponent < 0)
    return f"{above or '1'}{below}"


def _unit_text(name: str, exponent: int) -> str:
    return name if exponent == 1 else f"{name}^{exponent}"


@cache
def _units() -> dict[str, _Unit]:
    """All units by all their names."""
    found: dict[str, _Unit] = {}
    table = ";".join(
        (_LENGTHS, _AREAS, _VOLUMES, _MASSES, _TIMES, _SPEEDS_AND_FORCES, _OTHERS)
    ).replace("\n", ";")
    for line in filter(str.strip, table.split(";")):
        names, _, worth = line.strip().partition(" =")
        name, *others = names.split("|")
        unit = _defined(name, worth.split(), found)
        found |= dict.fromkeys((name, *others), unit)
    return found


def _defined(name: str, worth: list[str], found: dict[str, _Unit]) -> _Unit:
    if not worth:
        return _Unit(name, Fraction(1), ((name, 1),))
    factor, powers, sign = Fraction(worth[0]), Counter[str](), 1
    for part in worth[1:]:
        if part == "/":
            sign = -1
            continue
        factor *= found[part].factor ** sign
        for base, exponent in found[part].powers:
            powers[base] += sign * exponent
    return _Unit(name, factor, tuple(sorted((base, n) for base, n in powers.items() if n)))

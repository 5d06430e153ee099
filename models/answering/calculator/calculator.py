"""A calculator for expressions written by an LLM: exact, bounded, and without `eval`.

    text -> tokens -> Python's syntax tree -> checked nodes, few and not deep -> value

Numbers are fractions, read from the text of the literal. Roots are exact if rational, else decimals
of 40 digits. Quantities have units, dates are calendar days, and a difference of dates is a number
of days. The size of a result is bounded before it is computed. Every error is a BadExpression.
"""

from __future__ import annotations

import ast
import calendar
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from factmill.models.answering.calculator.calculator_numbers import (
    added,
    divided,
    floored,
    multiplied,
    number_from,
    number_text,
    power,
    remainder,
    rounded,
)
from factmill.models.answering.calculator.calculator_tokens import BadExpression, python_expression
from factmill.models.answering.calculator.calculator_units import (
    Powers,
    Quantity,
    added_quantities,
    divided_quantities,
    multiplied_quantities,
    powered_quantity,
    unit_named,
)

MAX_NODES = 300
MAX_TREE_DEPTH = 120
_WORDS = {
    "percent": Fraction(1, 100), "dozen": Fraction(12), "hundred": Fraction(100),
    "thousand": Fraction(10**3), "million": Fraction(10**6), "billion": Fraction(10**9),
    "trillion": Fraction(10**12), "half": Fraction(1, 2), "quarter": Fraction(1, 4),
}  # fmt: skip
_COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b, ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b,
}  # fmt: skip
_SIGNS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.UAdd, ast.USub)
_NODES = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Name, ast.Load,
    ast.Constant, ast.List, ast.Tuple, *_SIGNS, *_COMPARISONS,
)  # fmt: skip

# A number, a quantity, a day, or the truth of a comparison.
Value = Any


@dataclass(frozen=True, slots=True)
class Calculated:
    """A result: its value, and its text."""

    value: Value
    text: str


def calculate(expression: str) -> Calculated:
    """The value of an expression. Raises BadExpression, and nothing else."""
    python = python_expression(expression)
    try:
        tree = ast.parse(python, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise BadExpression("not an expression") from None
    _check(tree)
    try:
        value = _value(tree.body, python)
        return Calculated(value, _text(value))
    except (ValueError, OverflowError) as error:
        raise BadExpression(f"no such day: {error}") from None


def _check(tree: ast.AST) -> None:
    """Raises BadExpression for nodes outside the grammar, and for too many or too deep ones."""
    level, count = [tree], 0
    for _ in range(MAX_TREE_DEPTH):
        count += len(level)
        if count > MAX_NODES:
            raise BadExpression(f"more than {MAX_NODES} parts")
        for node in level:
            if not isinstance(node, _NODES):
                raise BadExpression(f"{type(node).__name__} is not part of a sum")
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise BadExpression(f"deeper than {MAX_TREE_DEPTH} levels")


def _value(node: ast.AST, source: str) -> Value:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            raise BadExpression("a text is not a value")
        return number_from(source[node.col_offset : node.end_col_offset])
    if isinstance(node, ast.Name):
        return _WORDS[node.id] if node.id in _WORDS else unit_named(node.id)
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand, source)
        if isinstance(value, bool | date):
            raise BadExpression("a sign stands before a number")
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        return _combined(node.op, _value(node.left, source), _value(node.right, source))
    if isinstance(node, ast.Compare):
        return _compared(node, source)
    if isinstance(node, ast.Call):
        return _called(node, source)
    raise BadExpression("a list stands in a function")


def _combined(sign: ast.operator, one: Value, other: Value) -> Value:
    if isinstance(one, bool) or isinstance(other, bool):
        raise BadExpression("a comparison is not a number")
    if isinstance(one, date) or isinstance(other, date):
        return _with_dates(sign, one, other)
    if isinstance(sign, ast.Pow):
        return _powered(one, other)
    if isinstance(sign, ast.Sub):
        return _added(one, -other)
    if isinstance(sign, ast.Add):
        return _added(one, other)
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return _OF_NUMBERS[type(sign)](one, other)
    if isinstance(sign, ast.Mult):
        return multiplied_quantities(one, other)
    if isinstance(sign, ast.Div):
        return divided_quantities(one, other)
    raise BadExpression("// and % are for numbers without units")


_OF_NUMBERS: dict[type, Callable[[Fraction, Fraction], Fraction]] = {
    ast.Mult: multiplied, ast.Div: divided, ast.FloorDiv: floored, ast.Mod: remainder,
}  # fmt: skip


def _added(one: Value, other: Value) -> Value:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return added(one, other)
    if isinstance(one, Fraction) or isinstance(other, Fraction):
        raise BadExpression("a number without a unit is added to one that has it")
    return added_quantities(one, other)


def _powered(base: Value, exponent: Value) -> Value:
    if not isinstance(exponent, Fraction) or isinstance(base, date | bool):
        raise BadExpression("an exponent has no unit")
    if isinstance(base, Fraction):
        return power(base, exponent)
    return powered_quantity(base, exponent)


def _with_dates(sign: ast.operator, one: Value, other: Value) -> Value:
    """A date and a duration, or the days between two dates."""
    adds = isinstance(sign, ast.Add)
    if isinstance(one, date) and isinstance(other, date) and isinstance(sign, ast.Sub):
        return unit_named("day").with_amount(Fraction((one - other).days))
    if isinstance(other, date) and adds:
        one, other = other, one
    if isinstance(other, date | Fraction) or not (adds or isinstance(sign, ast.Sub)):
        raise BadExpression("a date and a duration are added, two dates subtracted")
    return _later(one, other if adds else -other)


def _later(day: date, duration: Quantity) -> date:
    """Years and months by the calendar, other durations as whole days."""
    one_day = unit_named("day")
    months = _MONTHS.get(duration.written)
    amount = duration.amount if months else divided(one_day.alike(duration).base, one_day.base)
    if amount.denominator != 1 or abs(amount) > 10**7:
        raise BadExpression("a date is moved by whole days, months or years")
    if months is None:
        return day + timedelta(days=int(amount))
    number = day.year * 12 + day.month - 1 + int(amount) * months
    year, month = number // 12, number % 12 + 1
    if not 1 <= year <= 9999:
        raise BadExpression("a date outside of the years 1 to 9999")
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


_MONTHS: dict[Powers, int] = {
    (("month", 1),): 1, (("year", 1),): 12, (("decade", 1),): 120, (("century", 1),): 1200,
}  # fmt: skip


def _compared(node: ast.Compare, source: str) -> bool:
    values = [_value(one, source) for one in (node.left, *node.comparators)]
    if any(isinstance(one, bool) for one in values):
        raise BadExpression("a comparison is not a number")
    _check_alike(values)
    pairs = zip(node.ops, values, values[1:], strict=False)
    return all(_COMPARISONS[type(sign)](one, other) for sign, one, other in pairs)


def _check_alike(values: Sequence[Value]) -> None:
    """Raises BadExpression unless the values are all numbers, all quantities or all dates."""
    if len({type(value) for value in values}) > 1:
        raise BadExpression("only values of one kind are compared")


def _called(node: ast.Call, source: str) -> Value:
    if not isinstance(node.func, ast.Name) or node.keywords:
        raise BadExpression("a function is called by its name, without keywords")
    name, arguments = node.func.id, node.args
    if name == "date":
        return _day(arguments)
    if name == "to":
        return _converted(arguments, source)
    if name not in _FUNCTIONS:
        raise BadExpression(f"no function {name!r}")
    if len(arguments) == 1 and isinstance(arguments[0], ast.List | ast.Tuple):
        arguments = arguments[0].elts
    values = [_value(one, source) for one in arguments]
    if any(isinstance(one, bool) for one in values):
        raise BadExpression("a comparison is not a number")
    least, most, function = _FUNCTIONS[name]
    if not least <= len(values) <= most:
        raise BadExpression(f"{name} has another number of arguments")
    return function(*values)


def _day(arguments: list[ast.expr]) -> date:
    """`date("2024-02-29")`, or `date(2024, 2, 29)`."""
    values = [one.value for one in arguments if isinstance(one, ast.Constant)]
    if len(values) == len(arguments) == 1 and isinstance(values[0], str):
        return date.fromisoformat(values[0])
    numbers = [value for value in values if isinstance(value, int)]
    if len(numbers) == len(arguments) == 3:
        return date(*numbers)
    raise BadExpression("a date is date('2024-02-29')")


def _converted(arguments: list[ast.expr], source: str) -> Value:
    if len(arguments) != 2:
        raise BadExpression("to has a quantity and a unit")
    quantity, unit = (_value(one, source) for one in arguments)
    if not isinstance(quantity, Quantity) or not isinstance(unit, Quantity):
        raise BadExpression("to has a quantity and a unit")
    return Quantity(unit.alike(quantity).base, unit.powers, unit.written)


def _extreme(most: bool) -> Callable[..., Value]:
    def extreme(*values: Value) -> Value:
        _check_alike(values)
        return max(values) if most else min(values)

    return extreme


def _sum(*values: Value) -> Value:
    total = values[0]
    for value in values[1:]:
        total = _combined(ast.Add(), total, value)
    return total


def _mean(*values: Value) -> Value:
    if isinstance(values[0], date):
        raise BadExpression("dates have no mean here")
    return _combined(ast.Div(), _sum(*values), Fraction(len(values)))


def _magnitude(function: Callable[..., Fraction]) -> Callable[..., Value]:
    """A function of numbers that also takes quantities and keeps their unit."""

    def with_unit(value: Value, *more: Value) -> Value:
        if isinstance(value, date) or not all(isinstance(one, Fraction) for one in more):
            raise BadExpression("not for these values")
        if isinstance(value, Fraction):
            return function(value, *more)
        return value.with_amount(function(value.amount, *more))

    return with_unit


def _years_between(one: Value, other: Value) -> Fraction:
    """Whole years from the earlier day to the later: an age."""
    if not isinstance(one, date) or not isinstance(other, date):
        raise BadExpression("years_between has two dates")
    first, last = sorted((one, other))
    return Fraction(last.year - first.year - ((last.month, last.day) < (first.month, first.day)))


_MAX_ARGUMENTS = 100
_FUNCTIONS: dict[str, tuple[int, int, Callable[..., Value]]] = {
    "min": (1, _MAX_ARGUMENTS, _extreme(False)),
    "max": (1, _MAX_ARGUMENTS, _extreme(True)),
    "sum": (1, _MAX_ARGUMENTS, _sum),
    "mean": (1, _MAX_ARGUMENTS, _mean),
    "average": (1, _MAX_ARGUMENTS, _mean),
    "abs": (1, 1, _magnitude(abs)),
    "round": (1, 2, _magnitude(lambda value, digits=Fraction(0): rounded(value, digits))),
    "floor": (1, 1, _magnitude(lambda value: floored(value, Fraction(1)))),
    "ceil": (1, 1, _magnitude(lambda value: -floored(-value, Fraction(1)))),
    "sqrt": (1, 1, lambda value: _powered(value, Fraction(1, 2))),
    "years_between": (2, 2, _years_between),
}


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Fraction):
        return number_text(value)
    return str(value.text)

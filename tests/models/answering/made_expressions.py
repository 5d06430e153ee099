"""Expressions made at random: valid ones with their values, and hostile ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

Made = tuple[str, Fraction]


def valid(rng: random.Random, depth: int = 4) -> Made:
    """An expression and its value, computed beside it by `fractions`."""
    if depth == 0 or rng.random() < 0.15:
        return _literal(rng)
    text, value = valid(rng, depth - 1)
    other_text, other = valid(rng, depth - 1)
    kind = rng.randrange(9)
    if kind == 0:
        return f"({text} + {other_text})", value + other
    if kind == 1:
        return f"(({text}) - ({other_text}))", value - other
    if kind == 2:
        return f"(({text}) * ({other_text}))", value * other
    if kind == 3 and other:
        return f"(({text}) / ({other_text}))", value / other
    if kind == 4 and other:
        whole = value // other
        return (
            (f"(({text}) // ({other_text}))", Fraction(whole))
            if rng.random() < 0.5
            else (f"(({text}) % ({other_text}))", value - other * whole)
        )
    if kind == 5:
        return f"((-({text})) ** 2)", value * value
    if kind == 6:
        name = rng.choice(("min", "max", "sum", "mean"))
        results = {
            "min": min(value, other), "max": max(value, other), "sum": value + other,
            "mean": (value + other) / 2,
        }  # fmt: skip
        return f"{name}({text}, {other_text})", results[name]
    if kind == 7:
        return f"abs({text})", abs(value)
    return f"(12% of ({text}))", value * Fraction(12, 100)


def _literal(rng: random.Random) -> Made:
    """A literal, which `decimal` reads."""
    digits = str(rng.randrange(1000))
    if rng.random() < 0.4:
        digits += f".{rng.randrange(100):02d}"
    value = Fraction(Decimal(digits))
    words = {"": 1, " thousand": 10**3, " million": 10**6, " dozen": 12}
    word = rng.choice(tuple(words)) if rng.random() < 0.2 else ""
    return f"{digits}{word}", value * words[word]


def _nested(rng: random.Random) -> str:
    opening, closing = rng.choice((("(", ")"), ("[", "]"), ("-(", ")"), ("max(", ")")))
    count = rng.randrange(30, 4000)
    return opening * count + "1" + closing * rng.choice((count, count, 0, count // 2))


def _power_of_powers(rng: random.Random) -> str:
    levels = [str(rng.randrange(9, 99)) for _ in range(rng.randrange(3, 9))]
    return rng.choice(("**", "^")).join(levels)


def _factorial(rng: random.Random) -> str:
    number = rng.randrange(10**4, 10**9)
    return rng.choice((f"factorial({number})", f"{number}!", f"math.factorial({number})"))


def _attribute(rng: random.Random) -> str:
    holder = rng.choice(("()", "''", "(1)", "os", "x", "abs", "[]", "1.0"))
    name = rng.choice(("__class__", "__bases__", "__globals__", "system", "real", "mro"))
    return f"{holder}.{name}" + rng.choice(("", "()", "[0]", "('ls')", ".__subclasses__()"))


def _comprehension(rng: random.Random) -> str:
    count = rng.randrange(10, 10**9)
    return rng.choice(
        (
            f"[x for x in range({count})]", f"sum(x**x for x in range({count}))",
            f"{{x: x for x in range({count})}}", f"max([y] * {count} for y in [1])",
        )
    )  # fmt: skip


def _python(rng: random.Random) -> str:
    number = rng.randrange(100)
    return rng.choice(
        (
            "__import__('os').system('ls')", "eval('1+1')", "exec('1')", "open('x')", "lambda: 1",
            "(lambda f: f(f))(lambda f: f(f))", "globals()", "print(1)", "getattr(1, 'real')",
            "1 if 1 else 2", "x := 5", "f'{1}'", "'a' * 9", "b'x'", "not 1", "1 and 2", "yield 1",
            "await x", "1; 2", "import os", "\\x41", "#1", "`1`", "0x1f", "0b101", "0o17", "1j",
            "{1: 2}", "{1}", "1 is 1", "1 in [1]", "~1", "1 << 9999999", "1 >> 1", "1 | 2", "1 & 2",
            "1 @ 2", "*[1]", "max(*[1, 2])", "max(key=1)", "...", "True + 1", "None", "'1' + '2'",
        )
    ) + (f" + {number}" if rng.random() < 0.3 else "")  # fmt: skip


def _huge(rng: random.Random) -> str:
    digits = rng.randrange(501, 20000)
    exponent = rng.randrange(301, 10**6)
    return rng.choice(
        (
            "9" * digits, f"1e{exponent}", f"1e-{exponent}", f"10 ** {exponent + 4000}",
            f"2 ** -{exponent + 5000}", f"(10 ** 700) * (10 ** 700) * (10 ** {rng.randrange(99)})",
            f"round(1, {exponent})", f"{digits} * km ** {exponent}", f"7 ** 0.5 ** -{exponent}",
            f"2024-01-01 + {exponent}{exponent} days", "0.1 ** 999 ** 2",
        )
    )  # fmt: skip


def _unicode(rng: random.Random) -> str:
    digit = rng.choice("１２３４①②½⅓௧٣๓")
    name = rng.choice(
        ("ｅｖａｌ(1)", "ℯ", "ª + 1", "\u202e1+1", "1\u200b+1", "\u0661 + 1", "mаx(1)")
    )
    return rng.choice((f"{digit} + 1", name, f"1 + {digit}", "\x00", "1\ud800"))


def _many(rng: random.Random) -> str:
    part = rng.choice(("+1", "-1", "*2", "-" * 30 + "1", ",1", "<1", "//3", "%7"))
    return "1" + part * rng.randrange(251, 3000)


def _senseless(rng: random.Random) -> str:
    number = rng.randrange(2, 99)
    return rng.choice(
        (
            "", " ", "()", "[]", "max()", "mean([])", f"{number} +", f"/ {number}",
            f"{number} kg + 1 m",
            f"{number} / 0", f"{number} % 0", "0 ** -1", "(0 - 8) ** 0.5",
            "2023-02-29", "date('x')",
            f"{number} km + {number}", "2024-01-01 * 2", f"(1 < {number}) + 1", f"1..{number}",
            "sqrt(-1)", "kg ** kg", "to(1 kg, m)", "nosuchunit * 3", f"{number} {number}", "$",
            "$$1",
            "min(1, 2024-01-01)", "9999-12-31 + 1 day", "date(1)", "2024-01-01 + 1", "to(1, 2)",
        )
    )  # fmt: skip


_HOSTILE: tuple[Callable[[random.Random], str], ...] = (
    _nested, _power_of_powers, _factorial, _attribute, _comprehension, _python, _huge, _unicode,
    _many, _senseless,
)  # fmt: skip


def hostile(rng: random.Random) -> str:
    """An expression that must be refused."""
    return rng.choice(_HOSTILE)(rng)

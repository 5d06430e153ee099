"""Arithmetic as a person or an LLM writes it -> the text of a Python expression, and nothing more.

    "3 million km / 4 days"      (3 * million * km) / (4 * days)
    "20% of $1,250"              (20 * percent) * (1250 * USD)
    "2024-02-29 - 2023-12-01"    date('2024-02-29') - date('2023-12-01')

Everything that is not a token of this grammar is refused here: attributes, indexes, braces,
lambdas, escapes, letters of other scripts. So Python's parser sees only plain numbers, names,
brackets and operators, few of them and not deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_CHARACTERS = 500
MAX_TOKENS = 250
MAX_DEPTH = 20

_TOKEN = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})(?![\w.-])"
    r"|(?P<number>(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?!\.)"
    r"|(?P<name>[A-Za-z][A-Za-z]*(?:_[A-Za-z]+)*)"
    r"|(?P<text>'[\d-]{1,10}'|\"[\d-]{1,10}\")"
    r"|(?P<sign>\*\*|//|<=|>=|==|!=|[-+*/%^()\[\],<>$€£])",
    re.ASCII,
)
_PLAIN = str.maketrans({"×": "*", "÷": "/", "−": "-", "–": "-", "\u00a0": " "})
_THOUSANDS = re.compile(r"(?<![\d.])(\d{1,3}(?:,\d{3})+)(?![\d,])")
_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP"}
# Words of Python's grammar and ours, which are not names of units or functions.
_OPERATORS = {"mod": "%", "of": "*", "times": "*", "plus": "+", "minus": "-"}
_PYTHON = frozenset(
    "and as assert async await break class continue def del elif else except finally for from"
    " global if import in is lambda nonlocal not or pass raise return try while with yield"
    " True False None".split()
)

Token = tuple[str, str]


class BadExpression(Exception):
    """An expression that cannot be computed; the message says why, on one line."""


def python_expression(text: str) -> str:
    """The expression in Python's syntax. Raises BadExpression."""
    if len(text) > MAX_CHARACTERS:
        raise BadExpression(f"more than {MAX_CHARACTERS} characters")
    plain = text.translate(_PLAIN).strip()
    # In "max(1,200)" the comma separates arguments.
    if not re.search(r"[A-Za-z]\s*\(|\[", plain):
        plain = _THOUSANDS.sub(lambda match: match[1].replace(",", ""), plain)
    tokens = list(_tokens(plain))
    if len(tokens) > MAX_TOKENS:
        raise BadExpression(f"more than {MAX_TOKENS} parts")
    _check_depth(tokens)
    return " ".join(_written(tokens))


def _tokens(text: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        match = _TOKEN.match(text, position)
        if match is None:
            raise BadExpression(f"{text[position]!r} is not part of a sum")
        kind, token = str(match.lastgroup), match.group()
        if token in _PYTHON:
            raise BadExpression(f"{token!r} is not part of a sum")
        yield ("sign", _OPERATORS[token]) if token in _OPERATORS else (kind, token)
        position = match.end()


def _check_depth(tokens: list[Token]) -> None:
    """Bounds a parser's stack: open brackets, and consecutive operators."""
    depth = prefixes = 0
    for kind, token in tokens:
        depth += (token in "([") - (token in ")]") if kind == "sign" else 0
        prefixes = prefixes + 1 if kind == "sign" and token not in "()[]," else 0
        if depth > MAX_DEPTH or prefixes > MAX_DEPTH:
            raise BadExpression(f"deeper than {MAX_DEPTH} levels")


def _written(tokens: list[Token]) -> Iterator[str]:
    position = 0
    while position < len(tokens):
        kind, token = tokens[position]
        if token in _CURRENCIES and _kind(tokens, position + 1) == "number":
            end = _after_units(tokens, position + 2)
            units = [_CURRENCIES[token], *_units(tokens, position + 2, end)]
            yield _product([tokens[position + 1][1], *units])
        elif token in _CURRENCIES:
            raise BadExpression(f"{token} stands before a number")
        elif kind == "number" and _is_percent(tokens, position + 1):
            yield _product([token, "percent"])
            end = position + 2
        elif kind == "number":
            end = _after_units(tokens, position + 1)
            yield _product([token, *_units(tokens, position + 1, end)])
        else:
            yield {"^": "**"}.get(token, f"date('{token}')" if kind == "date" else token)
            end = position + 1
        position = end


def _kind(tokens: list[Token], position: int) -> str:
    return tokens[position][0] if position < len(tokens) else ""


def _is_percent(tokens: list[Token], position: int) -> bool:
    """Whether a percent sign ends a number; before a number it is the remainder operator."""
    if position >= len(tokens) or tokens[position][1] != "%":
        return False
    follows = tokens[position + 1] if position + 1 < len(tokens) else ("", "")
    return follows[0] not in {"number", "name"} and follows[1] != "("


def _after_units(tokens: list[Token], position: int) -> int:
    """The position after the names, and their powers, that follow a number: "5 m ** 2"."""
    while _kind(tokens, position) == "name":
        position += 1
        if _is_power(tokens, position):
            position += 2
    return position


def _is_power(tokens: list[Token], position: int) -> bool:
    powers = position < len(tokens) and tokens[position][1] in {"**", "^"}
    return powers and _kind(tokens, position + 1) == "number"


def _units(tokens: list[Token], start: int, end: int) -> list[str]:
    units: list[str] = []
    for kind, token in tokens[start:end]:
        if kind == "name":
            units.append(token)
        else:
            units[-1] += {"^": "**"}.get(token, token)
    return units


def _product(factors: list[str]) -> str:
    return factors[0] if len(factors) == 1 else f"({' * '.join(factors)})"

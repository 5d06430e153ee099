"""The templates of wikitext that stand for a value in a sentence, as text.

A sentence would say something else without them ("The deal was worth in 1999."). All other
templates are boxes, notes and rows; they give "".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# Longer templates are boxes, not values.
_MAX_TEMPLATE = 300
_NUMBER = re.compile(r"[+−-]?\d[\d.,]*")
_FRACTION = re.compile(r"[+]?\d+/\d+")
# An argument that only says how to show the others, and one that has a number as its name.
_NAMED = re.compile(r"\s*(?!\d=)[\w -]{1,30}=")
_NUMBERED = re.compile(r"\s*\d=")

# What these templates show before an amount.
_CURRENCIES = {
    "us$": "US$", "usd": "US$", "a$": "A$", "au$": "A$", "aud": "A$", "c$": "C$", "ca$": "C$",
    "cad": "C$", "nz$": "NZ$", "nzd": "NZ$", "hk$": "HK$", "hkd": "HK$", "s$": "S$", "sgd": "S$",
    "nt$": "NT$", "r$": "R$", "brl": "R$", "€": "€", "eur": "€", "euro": "€", "£": "£", "gbp": "£",
    "¥": "¥", "jp¥": "¥", "jpy": "¥", "yen": "¥", "cn¥": "CN¥", "cny": "CN¥", "rmb": "CN¥",
    "krw": "₩", "₩": "₩", "rub": "₽", "₽": "₽", "try": "₺", "₺": "₺", "inr": "₹", "₹": "₹",
    "inrconvert": "₹", "rs": "Rs. ", "rs.": "Rs. ", "pkr": "Rs. ", "php": "₱", "₱": "₱", "nis": "₪",
    "ils": "₪", "uah": "₴", "thb": "฿", "ngn": "₦", "₦": "₦", "chf": "CHF ", "sek": "SEK ",
    "nok": "NOK ", "dkk": "DKK ",
}  # fmt: skip
# An amount with the code of its currency behind it.
_CODED = frozenset({"currency", "iso4217"})
_INDIAN = {"k": "thousand", "l": "lakh", "m": "million", "c": "crore", "b": "billion"}
_MEASURES = frozenset({"convert", "cvt"})
_DEGREES = {"c": "°C", "f": "°F"}
_POWERS = {"e3": "thousand", "e6": "million", "e9": "billion", "e12": "trillion"}
_POWER = re.compile(r"(e3|e6|e9|e12)(?=[a-zA-Z])")
# What stands between the numbers of a range or of a size.
_JOINERS = {
    "to": " to ", "and": " and ", "or": " or ", "by": " by ", "x": " x ", "×": " × ", "-": "–",
    "–": "–", "to(-)": " to ", "±": " ± ", "+/-": " ± ",
}  # fmt: skip
_DATES = frozenset({
    "start date", "start date and age", "end date", "birth date", "birth date and age", "bda",
    "death date", "death date and age", "release date", "film date", "dts",
})  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
# Their first argument is what they show, or their last.
_FIRST = frozenset({
    "nowrap", "nobr", "nobold", "small", "smaller", "big", "abbr", "abbrlink", "flag", "flagu",
    "flagcountry", "visible anchor", "vanchor", "not a typo", "proper name", "sic", "linktext",
    "ill", "interlanguage link", "nihongo", "korean", "nts", "formatnum", "math", "mvar", "var",
    "tmath", "chem", "chem2", "smallcaps", "sc",
})  # fmt: skip
_LAST = frozenset({"lang", "langx", "transl", "transliteration", "script"})
_LANGUAGE = "lang-"
_SHIPS = frozenset({"ship", "hms", "uss", "hmas", "hmcs", "ss", "rms", "mv", "usns", "sms", "ins"})
_FRACTIONS = frozenset({"frac", "fraction", "sfrac"})
_SIGNS = {
    "'": "’", "'s": "’s", "ndash": "–", "endash": "–", "spaced ndash": " – ", "snd": " – ",
    "spnd": " – ", "mdash": "—", "emdash": "—", "nbsp": " ", "space": " ", "thinsp": " ",
    "dot": " · ", "middot": " · ", "·": " · ", "•": " • ", "times": "×", "minus": "−", "pm": "±",
    "pi": "π", "degree": "°", "deg": "°", "sharp": "♯", "flat": "♭",
}  # fmt: skip


def template_text(inside: str) -> str:
    """The value that a template shows in a sentence; "" for any other template. `inside` is what
    stands between its braces."""
    if len(inside) > _MAX_TEMPLATE:
        return ""
    name, *arguments = inside.split("|")
    name = " ".join(name.replace("_", " ").split()).lower()
    if name in _SIGNS and not arguments:
        return _SIGNS[name]
    if name.startswith("formatnum:"):
        return name.partition(":")[2]
    shown = (argument for argument in arguments if not _NAMED.match(argument))
    values = [_NUMBERED.sub("", argument, count=1).strip() for argument in shown]
    if not values:
        return ""
    if name == "as of":
        begun = any(argument.strip().startswith("lc=") for argument in arguments)
        return f"{'as' if begun else 'As'} of {_date(values)}"
    if name == "val":
        power, unit = (_named(arguments, of) for of in (("e",), ("u", "ul")))
        return f"{values[0]}{'×10^' if power else ''}{power} {unit}".rstrip()
    return _value(name, values)


def _named(arguments: Sequence[str], names: Sequence[str]) -> str:
    """The value of the argument with one of the names, or ""."""
    pairs = (argument.partition("=") for argument in arguments)
    return next((value.strip() for name, _, value in pairs if name.strip() in names), "")


def _value(name: str, values: Sequence[str]) -> str:
    first = values[0]
    if name in _MEASURES:
        return _measure(values)
    if name in _CURRENCIES:
        factor = _INDIAN.get(values[1].lower()) if name == "inrconvert" and values[1:] else None
        amount = f"{first} {factor}" if factor else first
        return _CURRENCIES[name] + amount if first else ""
    if name in _CODED:
        return " ".join(values[:2])
    if name in _FRACTIONS:
        whole, fraction = values[:-2][-1:], values[-2:]
        # Apart from the number that it stands behind.
        return " ".join(["", *whole, "/".join(fraction if fraction[1:] else ["1", first])])
    if name in _DATES:
        return _date(values)
    if name in _SHIPS:
        return " ".join(values[:2] if name == "ship" else [name.upper(), first]).strip()
    if name in ("circa", "c."):
        return f"c. {first}"
    if name == "sup":
        return f"^{first}" if _NUMBER.fullmatch(first) else first
    if name in ("e", "10^"):
        return f"{'×' if name == 'e' else ''}10^{first}"
    if name in _LAST or name.startswith(_LANGUAGE):
        # The text of `langx` and `lang-xx` comes before its transliteration.
        at = {"lang": -1, "langx": 1}.get(name, 0 if name.startswith(_LANGUAGE) else -1)
        return values[at] if len(values) > at else ""
    return first if name in _FIRST else ""


def _measure(values: Sequence[str]) -> str:
    """The first quantity: 10 to 15 km, 5 ft 7 in, 3 x 4 m, 12+1/2 in."""
    text, rest = values[0], list(values[1:])
    if rest and _FRACTION.fullmatch(rest[0]):
        text += rest.pop(0)
    while len(rest) > 1 and rest[0] in _JOINERS and _NUMBER.fullmatch(rest[1]):
        text += _JOINERS[rest[0]] + rest[1]
        rest = rest[2:]
    if not rest:
        return text
    text = f"{text} {_unit(rest[0])}"
    if len(rest) > 2 and _NUMBER.fullmatch(rest[1]):  # 5 ft 7 in
        text = f"{text} {rest[1]} {_unit(rest[2])}"
    return text


def _unit(code: str) -> str:
    power = _POWER.match(code)
    if power:
        return f"{_POWERS[power[1]]} {code[power.end() :]}"
    return _DEGREES.get(code.lower(), code)


def _date(values: Sequence[str]) -> str:
    """A day of year, month and day by numbers, a month, or what is written there."""
    numbers = []
    for value in values[:3]:
        if not value.isdecimal():
            break
        numbers.append(int(value))
    if len(numbers) < 2 or not 1 <= numbers[1] <= 12:
        return values[0]
    return " ".join([*map(str, numbers[2:]), _MONTHS[numbers[1] - 1], str(numbers[0])])

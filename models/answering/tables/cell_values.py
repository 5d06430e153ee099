"""The value of a table cell: a number with its unit, a date, or neither.

"57,406"  "$1.2 million"  "42.7%"  "1,250 m (4,100 ft)"  "2nd"  "3:45"     numbers
"6 September 1981"  "1997"  "1982–83"                                   dates
"W 27–0"  "7 of 9"                                                      neither
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from factmill.models.answering.words.dates_and_numbers import DATE, YEARS, Date, dates_in

_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_NUMBER = re.compile(
    r"(?P<money>(?:US|A|C|NZ|HK)?[$€£¥₹])?\s?(?P<sign>[-−–+])?"
    r"(?P<digits>\d{1,3}(?:,\d{3}){1,9}(?:\.\d{1,30})?|\d{1,30}(?:\.\d{1,30})?|\.\d{1,30})"
    r"(?:\s*(?P<scale>thousand|million|billion|trillion)\b)?"
    r"(?P<unit>\s?%|(?:st|nd|rd|th)\b|\s?[A-Za-z°]{1,12}[²³23]?(?:/[A-Za-z]{1,3}²?)?|)"
    r"(?:\s*\([^()]*\)|\s*\[[^\[\]]*\]|\s*[*†‡#])*",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,3}):(\d{2}(?:\.\d+)?)(?:\s*\[[^\]]*\])*")
_REMARK = re.compile(r"\s*\[[^\[\]]*\]|\s*\([^()]*\)")
_SEASON = re.compile(r"(1[5-9]\d{2}|20\d{2})\s?[-–/]\s?(?:\d{2}|\d{4}|present)", re.IGNORECASE)
BLANK = frozenset({"", "-", "–", "—", "n/a", "?", "...", "tba", "tbd", "unknown", "dnp"})
_DENIES = re.compile(r"(?:none|no|nil|n/a|not|never|without|closed)\b|[-–—0]$", re.IGNORECASE)
# Text that may accompany a date in a cell with nothing else.
_MAX_BESIDE_DATE = 6


@dataclass(frozen=True, slots=True)
class CellValue:
    """`unit` is "%", a currency sign, the name of a unit, or ""."""

    number: Fraction | None = None
    date: Date | None = None
    unit: str = ""


def is_blank(text: str) -> bool:
    """Whether a cell has no content."""
    return text.strip().lower() in BLANK


def denies(text: str) -> bool:
    """Whether a cell negates what its column is about."""
    return _DENIES.match(text) is not None


def cell_value(text: str) -> CellValue:
    """The value of a whole cell."""
    plain = " ".join(text.split())
    number, unit = _number(plain)
    return CellValue(number, _date(plain), unit)


def _number(text: str) -> tuple[Fraction | None, str]:
    if clock := _CLOCK.fullmatch(text):
        hours, minutes, seconds = clock.groups()
        return int(hours or 0) * 3600 + int(minutes) * 60 + Fraction(seconds), ":"
    match = _NUMBER.fullmatch(text)
    if match is None or (DATE.fullmatch(text) and not text.isdecimal()):
        return None, ""
    value = Fraction(match["digits"].replace(",", ""))
    value *= _SCALES[match["scale"].lower()] if match["scale"] else 1
    unit = (match["money"] or match["unit"]).strip().lower()
    return (-value if match["sign"] in ("-", "−", "–") else value), unit


def _date(text: str) -> Date | None:
    plain = _REMARK.sub("", text).strip()
    if season := _SEASON.fullmatch(plain):
        return Date(int(season[1]))
    if plain.isdecimal():
        return Date(int(plain)) if len(plain) == 4 and int(plain) in YEARS else None
    found = next(dates_in(plain), None)
    if found is None:
        return None
    match, date = found
    beside = re.sub(r"\W|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", "", (
        plain[: match.start()] + " " + plain[match.end() :]
    ).lower())  # fmt: skip
    return date if len(beside) <= _MAX_BESIDE_DATE else None

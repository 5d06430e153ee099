"""Dates and numbers in texts: their spans and their values.

A date is year, month and day, of which the later ones may be missing. Days come before or after
their month; "03/04/1999" is not read, because it is ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MONTHS = (
    "january february march april may june july august september october november december"
).split()
_MONTH_NUMBER = {name: number for number, name in enumerate(MONTHS, 1)}
_MONTH_NUMBER |= {name[:3]: number for name, number in list(_MONTH_NUMBER.items())}
_MONTH_NUMBER["sept"] = 9
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)"
)
_YEAR = r"(?:1\d{3}|20\d{2}|[1-9]\d{2})"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])"
DATE = re.compile(
    rf"\b(?P<d1>{_DAY})(?:st|nd|rd|th)?(?:\s+of)?\s+(?P<m1>{_MONTH})\.?,?(?:\s+(?P<y1>{_YEAR})\b(?!,\d))?"
    rf"|\b(?P<m2>{_MONTH})\.?\s+(?P<d2>{_DAY})(?:st|nd|rd|th)?\b(?!\d)(?:,?\s+(?P<y2>{_YEAR})\b(?!,\d))?"
    rf"|\b(?P<m3>{_MONTH})\.?,?\s+(?P<y3>{_YEAR})\b(?!,\d)"
    r"|\b(?P<y4>1\d{3}|20\d{2})-(?P<n4>0[1-9]|1[0-2])-(?P<d4>0[1-9]|[12]\d|3[01])\b"
    r"|(?<![\w.,$€£#-])(?P<y5>1[0-9]{3}|20\d{2})(?:(?=s\b)|\b(?![,.]?\d)(?!\s*(?:km|m|ft|feet|people"
    r"|miles|metres|meters|inhabitants|%|percent)\b))"
)
# Numbers that may be years where nothing else says so.
YEARS = range(1000, 2101)
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_WORDS = {
    word: number
    for number, word in enumerate(
        (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
            "fifteen sixteen seventeen eighteen nineteen twenty"
        ).split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
NUMBER = re.compile(
    rf"(?<![\w.,])(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)(?!,*\d)"
    rf"(?:\s+(?P<scale>{'|'.join(_SCALES)})\b)?"
    rf"|\b(?:(?P<tens>{_TENS})[- ](?P<ones>one|two|three|four|five|six|seven|eight|nine)"
    rf"|(?P<word>{'|'.join(sorted(_WORDS, key=len, reverse=True))}))\b"
    rf"(?:\s+(?P<wscale>{'|'.join(_SCALES)})\b)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, order=True)
class Date:
    """A date; month and day are 0 where they are missing."""

    year: int
    month: int = 0
    day: int = 0

    def comparable(self, other: Date) -> bool:
        """Whether it is clear which of the two dates is earlier."""
        mine, others = (self.year, self.month, self.day), (other.year, other.month, other.day)
        for one, another in zip(mine, others, strict=True):
            if not one or not another:
                return False
            if one != another:
                return True
        return True


def dates_in(text: str) -> Iterator[tuple[re.Match[str], Date]]:
    """The dates with a year, with their spans."""
    for match in DATE.finditer(text):
        if (date := _date(match)) is not None:
            yield match, date


def date_of(text: str) -> Date | None:
    """The first date in a text."""
    return next((date for _, date in dates_in(text)), None)


def _date(match: re.Match[str]) -> Date | None:
    group = match.groupdict()
    year = next((int(group[f"y{n}"]) for n in range(1, 6) if group[f"y{n}"]), None)
    if year is None:
        return None
    month = next((group[f"m{n}"] for n in (1, 2, 3) if group[f"m{n}"]), None)
    day = next((int(group[f"d{n}"]) for n in (1, 2, 4) if group[f"d{n}"]), 0)
    number = int(group["n4"]) if group["n4"] else _MONTH_NUMBER[month.lower()] if month else 0
    return Date(year, number, day)


def number_of(text: str) -> float | None:
    """The first number in a text, in digits or words."""
    match = NUMBER.search(text)
    return _number(match) if match else None


def _number(match: re.Match[str]) -> float:
    group = match.groupdict()
    if group["digits"]:
        value, scale = float(group["digits"].replace(",", "")), group["scale"]
    elif group["tens"]:
        value = float(_WORDS[group["tens"].casefold()] + _WORDS[group["ones"].casefold()])
        scale = group["wscale"]
    else:
        value, scale = float(_WORDS[group["word"].casefold()]), group["wscale"]
    return value * _SCALES[scale.casefold()] if scale else value


def same_value_in(text: str, answer: str) -> bool:
    """Whether a text contains the value of an answer that is just a date or a number, in any
    form.
    """
    date = DATE.fullmatch(answer.strip())
    if date is not None and (wanted := _date(date)) is not None:
        return any(found == wanted for _, found in dates_in(text))
    number = NUMBER.fullmatch(answer.strip())
    if number is None:
        return False
    return any(_number(found) == _number(number) for found in NUMBER.finditer(text))

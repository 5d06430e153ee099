"""Whether a date or number of a sentence lies in the range that a question claims.

"Was it built before 1910?"  "Has it more than 12 rooms?"  "Was it built between 1900 and 1910?"
"""

from __future__ import annotations

import re
from collections.abc import Callable

from factmill.models.answering.words.content_words import content_stems
from factmill.models.answering.words.dates_and_numbers import NUMBER, dates_in, number_of

_Fits = Callable[[float, float, float], bool]
_YEAR = r"(?P<low>[12]\d{3})"
_NUMBER = r"(?P<low>\d[\d,]*(?:\.\d+)?)"
_OF_DATES: tuple[tuple[str, _Fits], ...] = (
    (rf"\b(?:before|prior to|earlier than) {_YEAR}\b", lambda told, low, _: told < low),
    (rf"\b(?:after|later than) {_YEAR}\b", lambda told, low, _: told > low),
    (
        rf"\b(?:between|from) {_YEAR} (?:and|to) (?P<high>[12]\d{{3}})\b",
        lambda told, low, high: low <= told <= high,
    ),
)
_OF_NUMBERS: tuple[tuple[str, _Fits], ...] = (
    (
        rf"\b(?:more than|over|above|longer than|taller than) {_NUMBER}",
        lambda told, low, _: told > low,
    ),
    (
        rf"\b(?:less than|fewer than|under|below|shorter than) {_NUMBER}",
        lambda told, low, _: told < low,
    ),
    (rf"\bat least {_NUMBER}", lambda told, low, _: told >= low),
    (rf"\bat most {_NUMBER}", lambda told, low, _: told <= low),
)


def claimed_range(question: str) -> frozenset[str]:
    """The stems of the words of a question that claim a range; none without one."""
    return frozenset(
        one
        for pattern, _ in (*_OF_DATES, *_OF_NUMBERS)
        if (claim := re.search(pattern, question, re.IGNORECASE))
        for one in content_stems(claim.group())
    )


def lies_within(question: str, text: str) -> bool | None:
    """Whether the only year, or the only number, of a text is in the range that a question claims;
    None if it has several, or none.
    """
    years = {float(date.year) for _, date in dates_in(text)}
    for pattern, fits in _OF_DATES:
        if claim := re.search(pattern, question, re.IGNORECASE):
            return _fits(years, claim, fits)
    numbers = {
        number
        for match in NUMBER.finditer(text)
        if (number := number_of(match.group())) is not None
    }
    for pattern, fits in _OF_NUMBERS:
        if claim := re.search(pattern, question, re.IGNORECASE):
            return _fits(numbers - years, claim, fits)
    return None


def _fits(told: set[float], claim: re.Match[str], fits: _Fits) -> bool | None:
    if len(told) != 1:
        return None
    low = float(claim["low"].replace(",", ""))
    high = claim.groupdict().get("high")
    return fits(told.pop(), low, float(high) if high else low)

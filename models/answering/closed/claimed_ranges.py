"""Whether a date or number of a sentence lies in the range that a question claims.

"Was it built before 1910?"  "Has it more than 12 rooms?"  "Was it built between 1900 and 1910?"
"Was it built in the 1900s?"  "Was it built in the 20th century?"
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import NamedTuple

from factmill.models.answering.tables.question_patterns import (
    BETWEEN,
    NUMBER_RANGES,
    YEAR_RANGES,
    number_in,
)
from factmill.models.answering.words.content_words import stem_set
from factmill.models.answering.words.dates_and_numbers import NUMBER, YEARS, dates_in, number_of

_DECADE = re.compile(r"\b(?:in|during) the (?P<year>1\d\d0|20\d0)s\b")
_CENTURY = re.compile(r"\b(?:in|during) the (?P<n>1?\d|2[01])(?:st|nd|rd|th) century\b(?! b)")


class ClaimedRange(NamedTuple):
    """A range of years or of other numbers: its words, their stems, and what fits."""

    said: str
    stems: frozenset[str]
    of_years: bool
    fits: Callable[[float], bool]

    def is_said_in(self, text: str) -> bool:
        """Whether a text has the range in the same words: "Children under 12 travel free."."""
        return self.said in text.lower()

    def holds(self, text: str) -> bool | None:
        """Whether the only year, or the only number, of a text is in the range; None if it has
        several, or none.
        """
        told = {float(date.year) for _, date in dates_in(text)}
        if not self.of_years:
            found = (number_of(match.group()) for match in NUMBER.finditer(text))
            told = {number for number in found if number is not None} - told
        return self.fits(told.pop()) if len(told) == 1 else None


@lru_cache(64)  # asked for each sentence
def claimed_range(question: str) -> ClaimedRange | None:
    """The range that a question claims, if any."""
    asked = question.lower()
    if between := BETWEEN.search(asked):
        low, high = number_in(between["n"]), number_in(between["m"])
        if low is None or high is None:
            return None
        of_years = low in YEARS and high in YEARS
        return _range(between, of_years, lambda told: low <= told <= high)
    if decade := _DECADE.search(asked):
        start = int(decade["year"])
        return _range(decade, True, lambda told: start <= told < start + 10)
    if century := _CENTURY.search(asked):
        end = 100 * int(century["n"])
        return _range(century, True, lambda told: end - 100 < told <= end)
    for pattern, is_year in YEAR_RANGES:
        if match := pattern.search(asked):
            return _range(match, True, partial(_is_year, is_year, int(match[1])))
    for pattern, is_number in NUMBER_RANGES:
        if match := pattern.search(asked):
            limit = number_in(next(filter(None, match.groups())))
            if limit is not None:
                return _range(match, False, partial(_is_number, is_number, limit))
    return None


def _range(claim: re.Match[str], of_years: bool, fits: Callable[[float], bool]) -> ClaimedRange:
    said = claim.group()
    return ClaimedRange(said, stem_set(said), of_years, fits)


def _is_year(compares: Callable[[int, int], bool], limit: int, told: float) -> bool:
    return compares(int(told), limit)


def _is_number(
    compares: Callable[[Fraction, Fraction], bool], limit: Fraction, told: float
) -> bool:
    return compares(Fraction(told), limit)

"""Compares answers: dates and numbers by value, countries and words by equality."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from factmill.models.answering.words.answer_words import answer_words
from factmill.models.answering.words.countries import country_of
from factmill.models.answering.words.dates_and_numbers import (
    DATE,
    NUMBER,
    Date,
    date_of,
    number_of,
)
from factmill.models.answering.words.unit_ratios import ratio

# What stands between the two dates of a time, close before the second one.
_UNTIL = re.compile(
    r"\b(?:until|till|to|through)(?: (?:about|around|early|late|the end of))?\s$|^\s?[–-]\s?$"
)
# Between the things that a value names, and words that say nothing of them.
_PARTS = re.compile(r"\s*[,;/]\s*(?:and )?|\s+and\s+")
_UNIT = re.compile(r"\s*([A-Za-z]+(?:/[A-Za-z]+)?)")
_LIGHT = frozenset(("in", "at", "of", "near", "from", "on"))
_DAYS_OF_YEAR, _DAYS_OF_MONTH = 365.25, 30.44


def best_option(values: Sequence[str], greatest: bool) -> int | None:
    """Index of the smallest, or greatest, of some dates or numbers. None if that is unclear: a
    value is missing, or two are equal at the precision given.
    """
    dates = [date_of(value) for value in values]
    if all(date is not None for date in dates):
        return _best_date([date for date in dates if date is not None], greatest)
    known = _numbers(values)
    if len(known) < len(values) or len(set(known)) < len(known):
        return None
    return known.index(max(known) if greatest else min(known))


def _numbers(values: Sequence[str]) -> list[float]:
    """The numbers of values in the unit of the first one; fewer than values if one has no number,
    or a unit of another kind.
    """
    found: list[float] = []
    first = ""
    for value in values:
        match = NUMBER.search(value)
        number = number_of(value)
        if match is None or number is None:
            return []
        behind = _UNIT.match(value, match.end())
        unit = behind.group(1) if behind else ""
        if ratio(unit, unit) is not None:
            first = first or unit
            factor = ratio(unit, first)
            if factor is None:
                return []
            number *= float(factor)
        found.append(number)
    return found


def _best_date(dates: Sequence[Date], greatest: bool) -> int | None:
    best = max(dates) if greatest else min(dates)
    number = dates.index(best)
    others = [date for other, date in enumerate(dates) if other != number]
    if any(date == best or not date.comparable(best) for date in others):
        return None
    return number


def longest(lives: Sequence[tuple[str, str]]) -> int | None:
    """Index of the pair of dates that lie farthest apart. None if one is missing."""
    lengths = [_days(*map(date_of, life)) for life in lives]
    known = [length for length in lengths if length is not None]
    if len(known) < len(lengths) or len(set(known)) < len(known):
        return None
    return known.index(max(known))


def _days(first: Date | None, last: Date | None) -> float | None:
    if first is None or last is None:
        return None
    return _day_number(last) - _day_number(first)


def _day_number(date: Date) -> float:
    month, day = date.month or 6, date.day or 15
    return date.year * _DAYS_OF_YEAR + month * _DAYS_OF_MONTH + day


def years_between(first: str, last: str, full: bool) -> int | None:
    """The years from the earlier of two dates to the later one; `full` counts only those that are
    over, which two years alone do not say. None if a date is missing, or too little of it, or if
    both are one, which is that of one of the two events."""
    dates = date_of(first), date_of(last)
    if dates[0] is None or dates[1] is None or dates[0] == dates[1]:
        return None
    early, late = min(dates[0], dates[1]), max(dates[0], dates[1])
    years = late.year - early.year
    if not full:
        return years
    if not (early.month and late.month) or (early.month == late.month and not early.day * late.day):
        return None
    return years - ((late.month, late.day) < (early.month, early.day))


def years_told(sentence: str, start: int, end: int) -> int | None:
    """The years between a date, at a span of a sentence, and the one that it is joined with: "from
    1958 to 1977". None where the sentence names no end, or no beginning."""
    for begun, ended in pairwise(DATE.finditer(sentence)):
        of_date = any(one.start() < end and start < one.end() for one in (begun, ended))
        if of_date and _UNTIL.search(sentence[begun.end() : ended.start()]):
            first, last = date_of(begun.group()), date_of(ended.group())
            return last.year - first.year if first and last and first < last else None
    return None


def before_or_after(first: str, last: str) -> str:
    """Whether the first of two dates is "before" or "after" the second; "" where one is missing, or
    they are equal at the precision given."""
    dates = [date for date in (date_of(first), date_of(last)) if date is not None]
    earlier = _best_date(dates, greatest=False) if len(dates) == 2 else None
    return "" if earlier is None else ("before", "after")[earlier]


def are_same(one: str, other: str) -> bool | None:
    """Whether two values are the same: one country, one year, or a part of one that has all words
    of a part of the other ("singer and actor", "actor"). None if one is missing.
    """
    if not one or not other:
        return None
    countries = country_of(one), country_of(other)
    if None not in countries:
        return countries[0] == countries[1]
    dates = date_of(one), date_of(other)
    if dates[0] is not None and dates[1] is not None:
        return dates[0].year == dates[1].year
    parts, others = _parts(one), _parts(other)
    return any(mine <= theirs or theirs <= mine for mine in parts for theirs in others)


def _parts(value: str) -> list[set[str]]:
    """The words of each thing that a value names; of a place only the narrowest."""
    listed = _PARTS.split(value)
    if value[:1].isupper():
        listed = listed[:1]
    return [words for part in listed if (words := set(answer_words(part)) - _LIGHT)]

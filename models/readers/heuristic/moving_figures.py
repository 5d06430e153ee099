"""Figures that change from day to day: the closing price of a share, "49 days ago".

Such a figure is true of the day on which it was written. The price of a day is stored where the
statement, or what is shown with it, says which day that was. What a page says in relation to its
own day ("last month") needs a date that nobody stores. Figures that move slowly (market
capitalisation, yield, population) are facts of their page without a date. Of "(age 63)" the age is
left out, and a day of a table needs its year.
"""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.days_without_year import YEAR

MOVING_FIGURE = "moving_figure"  # the reason of its reject
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = re.compile(
    rf"\b{_MONTH}\.? \d{{1,2}}\b|\b\d{{1,2}}\.? {_MONTH}\b"
    r"|\b\d{1,4}([-/.])\d{1,2}\1\d{1,4}\b(?!\.\d)",
    re.IGNORECASE,
)
# Attributes whose figure is of a day.
_OF_A_DAY = re.compile(
    r"\b(?:clos(?:e|ing)|last|share|stock|market|current|live) price\b|\b(?:52|fifty-two)[- ]week\b"
    r"|\b(?:day|today)(?:['’]s)? (?:change|range)\b|\bprice change\b|\bin stock\b",
    re.IGNORECASE,
)
_RELATIVE_KEY = re.compile(
    r"\b(?:last|this|next|past|previous) (?:day|week|month|quarter|season|year)\b"
    r"|\b(?:today|tonight)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:\d+|an?|one|two|three|few) (?:second|minute|min|hour|day|week|month|year)s? ago\b",
    re.IGNORECASE,
)
# "Alphabet (GOOG -1.6%)": a quote beside a name.
_QUOTE = re.compile(r"\(\s*[A-Z]{1,5}(?:\.[A-Z])? ?[+\-−–]?\d+(?:\.\d+)?%\s*\)")

_AGE = re.compile(r"\s*\(age\s\d{1,3}\)$")
# "Current squad", "Recent call-ups"; not "Current of the Gulf".
_OF_TODAY = re.compile(
    r"(?:the )?(?:current|recent|latest|upcoming|present-day) (?:[\w-]+ ){0,2}?(?:squad|roster"
    r"|members?|standings|results|line-?ups?|call-ups|fixtures|matches|games|events|champions"
    r"|holders|staff|rankings?|players|team|officers|directors)\b",
    re.IGNORECASE,
)

# What was so when it was written, and may have ended since.
_FOR_NOW = re.compile(
    r"\b(?:[Cc]urrently|[Rr]eportedly|[Mm]ost recent(?:ly)?|next (?:face|play|meet)s?)\b"
)


def moves(key: str, value: str, around: str) -> bool:
    """Whether a figure is told in relation to the day of writing, or is of a day that neither its
    key, itself nor what is shown with it names."""
    if _RELATIVE_KEY.search(key) or _RELATIVE.search(value):
        return True
    said = f"{around} {key} {value}"
    dated = _YEAR.search(said) is not None and _DAY.search(said) is not None
    return not dated and _OF_A_DAY.search(key) is not None


def quotes_a_price(text: str) -> bool:
    """Whether a sentence has the move of a share's price at the time of writing."""
    return _QUOTE.search(text) is not None


def is_so_for_now(text: str) -> bool:
    """Whether a sentence tells what was so on the day of writing, and no year: "currently"."""
    return _FOR_NOW.search(text) is not None and YEAR.search(text) is None


def needs_year(name: str, around: str) -> bool:
    """Whether a row of a table is named by a day whose year neither it nor what is around it
    says."""
    return is_day(name) and YEAR.search(f"{name} {around}") is None


def is_day(name: str) -> bool:
    """Whether a row of a table is named by a day."""
    return _DAY.match(name) is not None


def is_of_today(caption: str) -> bool:
    """Whether a table of this caption tells what was so when it was written, and does not say when:
    "Current squad"."""
    return _OF_TODAY.match(caption) is not None and YEAR.search(caption) is None


def without_age(value: str) -> str:
    """A date of birth without the age at the time of writing: "3 May 1951 (age 63)"."""
    return _AGE.sub("", value) if YEAR.search(value) else value

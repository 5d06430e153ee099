"""What a span cannot be, by the words of its question: the answer must be of their kind.

"How long did it take?"         no date, and no length
"How long is the tunnel?"       no time in which something was done: "dug in two years"
"On which day is it open?"      a day, and no time of the day
"How fast is the boat?"         no length and no price
"What is its population?"       an amount
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from factmill.models.answering.sentences.several_answers import TIME
from factmill.models.answering.words.dates_and_numbers import DATE, NUMBER
from factmill.models.answering.words.measures import A_LENGTH, TAKES_TIME
from factmill.models.text.span import Span

# Whether a span of a text is a misfit.
_IsMisfit = Callable[[str, Span], bool]

_ASKS_FOR_TIME = re.compile(
    r"\bhow (?:long|many (?:\w+ )?(?:years|months|weeks|days|hours|minutes))\b", re.IGNORECASE
)
_ASKS_HOW_LONG_IS = re.compile(r"^how long (?:is|are)\b", re.IGNORECASE)
_IN_TIME = re.compile(r"\b(?:in|within|after) $")
_SPAN_OF_TIME = re.compile(r"\b(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|times)\b")
_BEFORE = 8
_ASKS_FOR_DATE = re.compile(
    r"\b(?:(?:which|what) (?:(?:is|was) the )?(?:[\w-]+ )?(?:date|day|month|year)s?"
    r"|(?:due|start|end|release|opening|closing|birth) date)\b(?! and time)",
    re.IGNORECASE,
)
_ASKS_FOR_DAY = re.compile(r"^(?:on )?(?:which|what) day\b", re.IGNORECASE)
_DAY = re.compile(
    r"days?\b|\d|\b(?:eve|easter|christmas|first|last|second|third|fourth|fifth)\b", re.IGNORECASE
)
_ASKS_FOR_SPEED = re.compile(r"\bhow fast\b|\bspeed\b", re.IGNORECASE)
_NO_SPEED = re.compile(r"\d\s?(?:[kc]?m|miles?|feet|kg|tonnes|seats|people)$|[£$€]", re.IGNORECASE)
_ASKS_FOR_AMOUNT = re.compile(
    r"^(?:how (?:many|tall|high|old|deep|wide|big|heavy|fast|thick)\b"
    r"|(?:what|which) (?:is|was|are|were) the (?:[\w-]+ )?(?:height|length|area|size|depth|width"
    r"|weight|speed|diameter|thickness|mass|circumference|radius|wingspan|gauge|population|number)\b"
    r"|what (?:do|does|did) .+ (?:cost|charge)\b)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\d|\b(?:half|halves|thirds?|quarters?|once|twice|dozens?|hundreds?|thousands?|millions?"
    r"|billions?|free|none|no|nobody|all|both|several|most|majority|many|few|single)\b",
    re.IGNORECASE,
)


def is_misfit(question: str, text: str, span: Span) -> bool:
    """Whether a span of a text cannot be the answer to a question."""
    return any(is_one(text, span) for is_one in _misfits_of(question))


@lru_cache(256)
def _misfits_of(question: str) -> tuple[_IsMisfit, ...]:
    asked = question.strip()
    return tuple(is_one for asks, is_one in _MISFITS if asks.search(asked))


def _is_date(text: str, span: Span) -> bool:
    return DATE.fullmatch(text[slice(*span)]) is not None


def _is_within_time(text: str, span: Span) -> bool:
    """Whether a span is the time in which something happens."""
    before = text[max(0, span[0] - _BEFORE) : span[0]]
    return _IN_TIME.search(before) is not None and _SPAN_OF_TIME.search(text, *span) is not None


def _is_length(text: str, span: Span) -> bool:
    return A_LENGTH.search(text[slice(*span)]) is not None


def _is_time_of_day(text: str, span: Span) -> bool:
    return TIME.fullmatch(text[slice(*span)]) is not None


def _is_no_day(text: str, span: Span) -> bool:
    return _DAY.search(text[slice(*span)]) is None


def _is_no_speed(text: str, span: Span) -> bool:
    return _NO_SPEED.search(text[slice(*span)]) is not None


def _is_no_amount(text: str, span: Span) -> bool:
    said = text[slice(*span)]
    return NUMBER.search(said) is None and _AMOUNT.search(said) is None


# What asks, and what is no answer to it.
_MISFITS: tuple[tuple[re.Pattern[str], _IsMisfit], ...] = (
    (_ASKS_FOR_TIME, _is_date),
    (_ASKS_HOW_LONG_IS, _is_within_time),
    (TAKES_TIME, _is_length),
    (_ASKS_FOR_DATE, _is_time_of_day),
    (_ASKS_FOR_DAY, _is_no_day),
    (_ASKS_FOR_SPEED, _is_no_speed),
    (_ASKS_FOR_AMOUNT, _is_no_amount),
)

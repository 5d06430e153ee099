"""Whether a cell is of the kind that a question asks for."""

from __future__ import annotations

import re

from factmill.models.answering.tables.cell_values import denies
from factmill.models.answering.words.dates_and_numbers import DATE
from factmill.models.answering.words.question_kinds import Kind

_TIME = re.compile(r"\b\d{1,2}[:.]\d{2}\b")
_LETTERS = re.compile(r"[^\W\d_]{2}")


def is_of_kind(answer: str, kind: Kind) -> bool:
    """Whether the text of a cell may answer: a date or a time; letters and not only a date for a
    person or a place; a digit, not of a date, or a denial for a number; anything else for other
    kinds."""
    if kind is Kind.DATE:
        return DATE.search(answer) is not None or _TIME.search(answer) is not None
    if kind in {Kind.PERSON, Kind.PLACE}:
        return _LETTERS.search(answer) is not None and DATE.fullmatch(answer) is None
    if kind is Kind.NUMBER:
        is_date = DATE.fullmatch(answer) is not None and not answer.isdigit()
        has_digit = any(character.isdigit() for character in answer)
        return (has_digit and not is_date) or denies(answer)
    return bool(answer)

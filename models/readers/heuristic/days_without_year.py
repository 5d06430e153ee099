"""Days of no year: "On 18 January Carlo Janka won the race", on a page that does not say when.

Pages of news and of sport count on the reader's knowing the year. A fact of an index needs it, in
the statement or in what is shown with it. What comes again each year needs none ("The fair is held
on 18 January"), so only what is told in the past has to have a year.
"""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.lexicon import tense_of, words_of

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan\.|Feb\.|Aug\.|Sept?\.|Oct\.|Nov\.|Dec\.)"
)
_DAY = re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}(?!\w)|\b{_MONTH} \d{{1,2}}(?!\w*\d)")
_MONTH_OF = re.compile(
    rf"\b(?:[Ii]n|[Ss]ince|[Bb]ack in|course of) (?:early |late |mid-)?{_MONTH}(?!\w| \d{{3}})"
)
_YEAR = re.compile(r"\b[12]\d{3}\b")


def has_day_without_year(text: str, around: str) -> bool:
    """Whether a statement of English tells in the past of a day or a month whose year neither it
    nor the text around it (title and heading) says."""
    if _DAY.search(text) is None and _MONTH_OF.search(text) is None:
        return False
    if _YEAR.search(f"{around} {text}"):
        return False
    return any(tense_of(word) == "past" for word in words_of(text))

"""Days of no year: "On 18 January Carlo Lund won the race", on a page that does not say when.

Pages of news and of sport count on the reader's knowing the year. A fact of an index needs it, in
the statement or in what is shown with it. What comes again each year needs none ("The fair is held
on 18 January"), so only what is told in the past has to have a year.
"""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.lexicon import MONTH, tense_of, words_of

_MONTH = rf"(?:{MONTH}|(?:Jan|Feb|Aug|Sept?|Oct|Nov|Dec)\.)"
_DAY = re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}(?!\w)|\b{_MONTH} \d{{1,2}}(?!\w*\d)")
_MONTH_OF = re.compile(
    rf"\b(?:[Ii]n|[Ss]ince|[Bb]ack in|course of) (?:early |late |mid-)?{_MONTH}(?!\w)"
)
# "1815", "October 821", "44 BC".
YEAR = re.compile(rf"\b[12]\d{{3}}\b|\b{_MONTH} \d{{3}}\b|\b\d{{1,4}} (?:BCE?|CE|AD)\b")
# A participle behind these tells no past: "is held on 18 January".
_PRESENT = frozenset("is are be being".split())
_BEFORE_PARTICIPLE = 3  # words between, "is always held" among them


def has_day_without_year(text: str, around: str) -> bool:
    """Whether a statement of English tells in the past of a day or a month whose year neither it
    nor the text around it (title and heading) says."""
    if _DAY.search(text) is None and _MONTH_OF.search(text) is None:
        return False
    return YEAR.search(f"{around} {text}") is None and _tells_the_past(text)


def _tells_the_past(text: str) -> bool:
    words = words_of(text)
    return any(
        tense_of(word) == "past"
        and not any(
            before.low in _PRESENT for before in words[max(0, number - _BEFORE_PARTICIPLE) : number]
        )
        for number, word in enumerate(words)
    )

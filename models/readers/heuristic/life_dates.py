"""Birth and death dates in parentheses after a name: "Anna Lund (born 9 April 1867) is"."""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.lexicon import MONTH
from factmill.models.readers.heuristic.person_nouns import is_person

_DAY = rf"(?:\d{{1,2}}\s{MONTH},?\s\d{{4}}|{MONTH}\s\d{{1,2}},?\s\d{{4}})"
# What stands between a name and its dates; not "son of Erik Hale (1850–1920)".
_ALSO_CALLED = (
    r"n[ée]e\b|(?:[a-z]+\s){0,2}(?:known|credited|called|billed|styled|spelled|nicknamed)\b"
)
_BRACKET = re.compile(
    r"^(?P<subject>(?P<name>[^\W\d_][^(),;:\"“]{1,80}?)"
    rf"(?:,\s(?=[A-Z\d]|{_ALSO_CALLED})[^(),;:\"“]{{3,60}}?)?)"
    r",?\s*\((?P<inside>[^()]{4,160})\)"
    r"(?P<rest>,?\s+(?:is|was|are|were)\s[^.;]{3,200})"
)
# "The wife of Tom Hale (1920–1999)": of which of the two?
_BESIDE = re.compile(r"\b[a-z]+ of ")
_BORN = re.compile(
    rf"(?:^|;\s*)(?:born|b\.)\s(?:on\s|in\s)?(?P<date>{_DAY}|(?P<year>\d{{4}}))"
    rf"(?P<place>(?:,?\sin)\s[^;–\d]{{3,60}})?\s*$"
)
_BORN_AS = re.compile(rf"(?<=born\s)[^;\d]{{3,60}}(?P<cut>;\s*(?P<date>{_DAY}))\s*$")
_YEARS = re.compile(r"^(?P<born>1\d{3}|20\d\d)\s*[–-]\s*(?P<died>1\d{3}|20\d\d)$")
_HELD = re.compile(
    r"\b(?:king|queen|emperor|empress|pope|prince|princess|duke|duchess|sultan|shah|ruler|bishop"
    r"|archbishop|president|minister|governor|mayor|chancellor|count|earl|pharaoh|abbot)\b",
    re.IGNORECASE,
)
_LIVED = re.compile(rf"(?:^|;\s*)(?:born\s)?(?P<born>{_DAY})\s*[–—-]\s*(?P<died>{_DAY})\s*$")


def split_life_dates(text: str) -> list[Rewrite]:
    """The sentence without the dates, then "X was born 9 April 1867" and "X died 3 May 1934"."""
    bracket = _BRACKET.match(text)
    if bracket is None or _BESIDE.search(bracket["name"]):
        return []
    inside = bracket["inside"]
    subject, shift = bracket.span("name"), bracket.start("inside")
    whole = bracket.span("subject")
    if born := _BORN.search(inside):
        between = " was born in " if born["year"] else " was born "
        begin = born.start()
        dates: list[Rewrite] = [
            [subject, between, (born.start("date") + shift, born.end() + shift)]
        ]
    elif named := _BORN_AS.search(inside):  # "born Anna Lund; 9 April 1867"
        begin = named.start("cut")
        dates = [[subject, " was born ", (named.start("date") + shift, named.end("date") + shift)]]
    elif (lived := _LIVED.search(inside)) and is_person(bracket["rest"]):
        begin = lived.start()
        dates = [
            [subject, " was born ", (lived.start("born") + shift, lived.end("born") + shift)],
            [subject, " died ", (lived.start("died") + shift, lived.end("died") + shift)],
        ]
    elif _may_be_life(bracket["rest"]) and (years := _YEARS.match(inside)):
        begin = 0
        dates = [
            [subject, " was born in ", (years.start("born") + shift, years.end("born") + shift)],
            [subject, " died in ", (years.start("died") + shift, years.end("died") + shift)],
        ]
    else:
        return []
    comma = bracket["rest"].startswith(",") and whole == subject
    rest = (bracket.start("rest") + comma, len(text))
    if not any(char.isalpha() for char in inside[:begin]):
        return [[whole, rest], *dates]
    kept = (0, shift + begin)  # "(Danish: Anna; born 1867)" keeps what is in front
    return [[kept, ")", rest], *dates]


def _may_be_life(rest: str) -> bool:
    """Whether years after a name are those of a life, not of a reign or office."""
    return is_person(rest) and not _HELD.search(rest)

"""The kind of answer that a question asks for, by its first words and their noun."""

from __future__ import annotations

import re
from enum import Enum

_DATE_NOUN = r"(?:years?|dates?|days?|months?|times?|decades?|century|centuries)"
_PLACE_NOUN = (
    r"(?:place|city|town|village|country|state|county|province|region|location|continent|capital"
    r"|birthplace|hometown|street|island|river|nation|district|venue|stadium)"
)
_PERSON_NOUN = (
    r"(?:person|man|woman|actor|actress|singer|director|author|writer|composer|president|king|queen"
    r"|player|artist|scientist|poet|painter|founder|mother|father|wife|husband|spouse|son|daughter"
    r"|brother|sister|child|producer|performer|politician|captain|coach|architect|emperor|pope"
    r"|prime minister|grandfather|grandmother|musician|rapper|editor|owner|mayor|governor)"
)
_NUMBER_NOUN = (
    r"(?:number|population|percentage|amount|height|length|age|area|size|price|cost|depth|width"
    r"|temperature|speed|weight|distance|capacity|diameter|duration|altitude|elevation|budget|gauge|thickness|mass|circumference"
    r"|radius|wingspan|salary|fee|fare|rent|income|revenue)"
)
_OF = (
    r"(?:in |on |at |from |to |by |of |for |during )?"
    r"(?:what|which)(?: (?:is|was|are|were)(?: the)?)?"
)
_HOW = (
    r"(?:many|much|long|tall|high|far|old|deep|wide|big|heavy|large|fast|often|near|close|thick"
    r"|strong|steep|hot|cold|warm|loud|bright|expensive)"
)
_AUXILIARY = (
    r"(?:is|are|was|were|am|do|does|did|can|could|has|have|had|will|would|should|must|may|might)"
)


class Kind(Enum):
    """Kinds of answers."""

    DATE = "date"
    NUMBER = "number"
    PERSON = "person"
    PLACE = "place"
    CLOSED = "yes or no"
    REASON = "reason"
    THING = "thing"


_RULES: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (Kind.DATE, rf"(?:when\b|{_OF} (?:[\w-]+ )?{_DATE_NOUN}\b|how long ago\b|since when\b)"),
        (Kind.NUMBER, rf"how {_HOW}\b"),
        (Kind.NUMBER, rf"how (?!{_AUXILIARY}\b|come\b|well\b|soon\b)[a-z]+ {_AUXILIARY}\b"),
        (Kind.NUMBER, rf"{_OF} (?:[\w-]+ )?{_NUMBER_NOUN}\b"),
        (Kind.PERSON, rf"(?:who|whom|whose)\b|{_OF} (?:[\w-]+ ){{0,2}}{_PERSON_NOUN}\b"),
        (Kind.PLACE, rf"(?:from |to )?where\b|{_OF} (?:[\w-]+ )?{_PLACE_NOUN}\b"),
        (Kind.CLOSED, rf"{_AUXILIARY}\b"),
        (Kind.REASON, r"(?:why|how)\b"),
    )
)  # fmt: skip
# What asks by itself; where there is none of it, the question is only a noun.
_ASKING = re.compile(
    rf"\b(?:what|which|who|whom|whose|when|where|why|how)\b|(?:name|list|tell|give|show|find|{_AUXILIARY})\b",
    re.IGNORECASE,
)
# What stands before what asks: another sentence, a clause, a preposition.
_ASKS = r"(?:what|which|who|whom|whose|when|where|why|how)\b"
_PREPOSITION = (
    r"(?:(?:in|on|at|from|to|by|of|for|during|with|under|until|till|since|after|before|about"
    r"|around|through|within|over|into|against) )"
)
_PREFACE = re.compile(
    rf"(?:.*(?:[^\W\d_]{{4}}|\d{{3}})[.!?;] +|(?:if|as|according|{_PREPOSITION})\b[^,?]*, +)"
    rf"(?={_PREPOSITION}?{_ASKS})",
    re.IGNORECASE,
)
_BEFORE = re.compile(rf"{_PREPOSITION}(?={_ASKS})", re.IGNORECASE)
_SHORT = re.compile(r"(what|who|when|where)['’]s\b", re.IGNORECASE)


def _behind(preface: re.Pattern[str], asked: str) -> str:
    """What follows a match at the beginning; everything where there is none. A search for it
    anywhere would take seconds for a long question.
    """
    found = preface.match(asked)
    return asked[found.end() :] if found else asked


def kind_of(question: str) -> Kind:
    """The kind of answer that a question asks for: of "due date of form 7" that of "what is the
    due date of form 7?", of "If I take the bus, until when ...?" that of "when ...?"."""
    asked = _behind(_BEFORE, _behind(_PREFACE, question.strip()))
    if short := _SHORT.match(asked):
        asked = f"{short[1]} is{asked[short.end() :]}"
    if not _ASKING.search(asked):
        asked = f"what is the {asked}"
    return next((kind for kind, rule in _RULES if rule.match(asked)), Kind.THING)

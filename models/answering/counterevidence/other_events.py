"""Whether a sentence has a date or a place of another event than the question asks for.

"When was Tarn Mill sold?"   "It was built in 1742."
                             not 1742 of "It was built in 1742, and it was sold in 1790."
"""

from __future__ import annotations

import re

from factmill.models.answering.sentences.matched_sentences import sentence_at
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import STOP, stem
from factmill.models.answering.words.events import (
    BEGINNINGS,
    KNOWN,
    SAYS_LITTLE,
    asked_events,
    events_of,
)
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.text.span import Span

# What is left of a probability: where another event has the date, where it may stand for the one
# asked for, and where a verb has it that may be a synonym.
_OTHER, _OTHER_BEGINNING, _UNKNOWN = 0.1, 0.9, 0.6
# Where a clause ends.
_BOUNDARY = re.compile(
    r"[;:(),]\s*(?:(?:and|but|or|then|yet) )?|\s(?:and|but)\s|\s(?=(?:when|while|before|after|until"
    r"|which|who|where|because|since it|as (?:he|she|it|they|the))\b)"
)
# A clause that says when the other one was.
_TIME_CLAUSE = re.compile(r"(?:when|after|once|as|before|until)\b", re.IGNORECASE)
# Nothing but a date, which is that of the clause behind it.
_ONLY_DATE = re.compile(r"(?:(?:in|on|by|from|since|around|about|the|year|of) )*", re.IGNORECASE)
_JOINED = re.compile(r"\b(?:and|but|or|then|yet)\s*$|;\s*$")
# "A 1975 film", in the last characters before a span.
_BEFORE = 60
_ATTRIBUTE = re.compile(r"\b(?:an?|the|this|that|its|his|her|their)\s+$", re.IGNORECASE)
# The years of a life: "Ann Lee (1821-1899) was a printer".
_LIFE = re.compile(
    r"^[^()]{3,60}\((?:(?:born|b\.|c\.|ca\.) )?\d{4} ?[-–—] ?(?:(?:c\.|ca\.) )?\d{4}\)"
    r"(?= (?:was|is)\b)"
)
_OF_LIFE = frozenset({"bear", "die"})
_DONE = re.compile(r"\b(?:was|were|been) (?:[a-z]+ )?(?P<done>[a-z]{2,}ed)\b")
_NARROWED = re.compile(r"\b(?:that|which|who)\b", re.IGNORECASE)
_WHERE = re.compile(r"\s*where (?:was|were|did)\b", re.IGNORECASE)


def left_of_event(asked: AskedFor, text: str, span: Span) -> float:
    """What is left of the probability of a date or a place for the event of a question."""
    if asked.kind is Kind.PLACE:
        if not _WHERE.match(asked.text) or _NARROWED.search(asked.text):
            return 1.0
    elif asked.kind is not Kind.DATE:
        return 1.0
    events = asked_events(asked.text)
    if not events or not events <= KNOWN:
        return 1.0
    own = sentence_at(text, span[0])
    start, end = (own.start, own.end) if own else (0, len(text))
    said = text[start:end]
    stated = _stated(said, (span[0] - start, span[1] - start))
    if not stated or stated & events:
        return 1.0
    if events & BEGINNINGS and stated & BEGINNINGS:
        return _OTHER_BEGINNING
    return _OTHER if stated <= KNOWN else _UNKNOWN


def _stated(said: str, span: Span) -> frozenset[str]:
    """The events that a sentence states of a span: those of its clause, else of the one before."""
    if any(one.start() < span[0] < one.end() for one in _LIFE.finditer(said)):
        return _OF_LIFE
    if _ATTRIBUTE.search(said, max(0, span[0] - _BEFORE), span[0]) or _is_in_brackets(
        said, span[0]
    ):
        return frozenset()
    clauses, own = _clauses(said, span)
    here = said[clauses[own][0] : clauses[own][1]]
    stated = events_of(here) or _own_verb(here)
    if stated:
        both = events_of(said) if _TIME_CLAUSE.match(here.strip()) else frozenset()
        if own + 1 < len(clauses):
            behind = said[slice(*clauses[own + 1])].strip()
            both |= events_of(behind) if behind.startswith("when ") else frozenset()
        return stated | both
    before = range(own - 1, -1, -1)
    after = range(own + 1, len(clauses))
    is_date = _ONLY_DATE.fullmatch(said, clauses[own][0], span[0]) is not None
    joined = _JOINED.search(said, 0, clauses[own][0]) is not None
    order = (*after, *before) if is_date and joined else (*before, *after)
    for number in order:
        if stated := events_of(said[slice(*clauses[number])].strip()):
            return stated
    return frozenset()


def _own_verb(clause: str) -> frozenset[str]:
    """The stem of what was done, where no word of a known event says it: "was besieged"."""
    done = _DONE.search(clause)
    unsaid = done is None or done["done"] in SAYS_LITTLE or done["done"] in STOP
    return frozenset() if done is None or unsaid else frozenset((stem(done["done"]),))


def _is_in_brackets(said: str, start: int) -> bool:
    return said.rfind("(", 0, start) > said.rfind(")", 0, start)


def _clauses(said: str, span: Span) -> tuple[list[Span], int]:
    """The clauses of a sentence, and the number of the one with the span, which none cuts."""
    clauses: list[Span] = []
    start = own = 0
    for match in _BOUNDARY.finditer(said):
        if match.start() < span[1] and span[0] < match.end():
            continue
        clauses.append((start, match.start()))
        start = match.end()
        if match.end() <= span[0]:
            own = len(clauses)
    clauses.append((start, len(said)))
    return clauses, own

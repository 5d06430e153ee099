"""Whether a column states another event than the question asks for.

"When was Tarn Mill demolished?"     not the date in the column "Built"
"Where did Ann Lee die?"             not the place in "Place of birth"
"Who built Tarn Mill?"               not the person in "Owner"
"When was The Red Barge stolen?"     not the "Year" of a list of pictures
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet

from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import stem, stem_set
from factmill.models.answering.words.events import (
    BEGINNINGS,
    KNOWN,
    OF_A_YEAR,
    asked_events,
    events_of,
    events_of_stems,
)
from factmill.models.answering.words.question_kinds import Kind

# The kinds of answers that an event has.
KINDS_OF_EVENTS = frozenset({Kind.DATE, Kind.PLACE, Kind.PERSON})
# What is left of the trust in a column of another event.
_OTHER = 0.1
_NEUTRAL = re.compile(r"\b(?:years?|dates?|when|day)\b", re.IGNORECASE)
_DONE = re.compile(r"\b[a-z]{2,}ed\b")
_SITE = re.compile(r"\b(?:place|city|town|location|seat|headquarters|county|region|site|venue)\b")
_ROLE = re.compile(r"[a-z]{2,}(?:er|or|eer|ist|ect|ian|man)s?$|(?:captain|coach|mason)s?$")
# What else those with a role do.
_DEEDS = {
    "architect": "build design", "engineer": "build design", "mason": "build",
    "contractor": "build", "builder": "build", "founder": "found", "designer": "design",
    "painter": "paint", "author": "write publish", "writer": "write", "composer": "write",
    "publisher": "publish", "inventor": "invent", "owner": "own sell", "buyer": "sell",
    "seller": "sell", "discoverer": "discover",
}  # fmt: skip


def trust_left(
    asked: AskedFor, header: str, about: frozenset[str], around: Callable[[], Iterable[str]]
) -> float:
    """What is left of the trust in a column for the events of a question. `about` are the stems of
    title and caption, `around` gives those of what else is said of its cell: headers, row."""
    events = asked_events(asked.text)
    if not events:
        return 1.0
    header = header.lower()
    done = {stem(word) for word in _DONE.findall(header)}
    if done & asked.stems:  # "Entered" of ships that "entered service"
        return 1.0
    if stated := events_of(header) | done:
        return _of_events(events, stated | stem_set(header))
    if asked.kind is Kind.PERSON and (role := _ROLE.search(header)):
        name = role.group().removesuffix("s")
        return 1.0 if events & {stem(name), *_DEEDS.get(name, "").split()} else _OTHER
    if not events <= KNOWN:
        return 1.0
    if asked.kind is Kind.PERSON and _SITE.search(header):
        return _OTHER
    return _of_neutral(events, about, around) if _NEUTRAL.search(header) else 1.0


def _of_neutral(
    events: frozenset[str], about: frozenset[str], around: Callable[[], Iterable[str]]
) -> float:
    """What is left of the trust in a column "Year", which says nothing of its event."""
    told = about.union(around())
    if events & (told | events_of_stems(told)):
        return 1.0
    if not events & OF_A_YEAR:
        return _OTHER
    listed = events_of_stems(about)
    return _of_events(events, listed) if listed else 1.0


def _of_events(events: frozenset[str], stated: AbstractSet[str]) -> float:
    both_begin = events & BEGINNINGS and stated & BEGINNINGS
    return 1.0 if events & stated or both_begin else _OTHER

"""Questions for the time between two events, or for their order, as questions for their dates.

"How many years passed between the founding of Tarn Mill and the death of Ann Lee?"
                                 When was Tarn Mill founded?  When did Ann Lee die?
"How many years after its opening was Tarn Mill closed?"
                                 When was Tarn Mill opened?   When was Tarn Mill closed?
"How old was Ann Lee when she died?"
                                 When was Ann Lee born?       When did Ann Lee die?
"Was Tarn Mill sold before or after the war?"
                                 When was Tarn Mill sold?     When was the war?
"For how many years was Ann Lee mayor of Tarn?"
                                 When was Ann Lee mayor of Tarn?  "from 1958 to 1977"
"""

from __future__ import annotations

import re
from typing import NamedTuple

_AUXILIARY = r"(?:did|was|were)"
_YEARS = r"how (?:many years|long)"
_BETWEEN = re.compile(
    rf"{_YEARS} (?:[a-z]+ ){{0,2}}between (?P<first>the .+? of .+?|\S.*?['’]s? [a-z]+)"
    r" and (?P<last>.+)",
    re.IGNORECASE,
)
_APART = re.compile(
    rf"{_YEARS} (?:after|before) (?P<first>.+?) (?P<last>{_AUXILIARY} .+)", re.IGNORECASE
)
_AGED = re.compile(
    r"(?:how old was|at (?:what|which) age did) (?P<name>.+?)"
    r"(?: when (?:he|she|they) (?P<last>(?:was |were )?[a-z]+.*)| (?P<die>die))",
    re.IGNORECASE,
)
_ORDER = re.compile(
    rf"(?P<first>{_AUXILIARY} .+?),? (?:before or after|after or before) (?P<last>.+)",
    re.IGNORECASE,
)
# Not "how long was", which may ask for a length.
_LASTED = re.compile(
    rf"(?:for how long|(?:for )?how many years) (?P<clause>{_AUXILIARY} .+)", re.IGNORECASE
)
_NAME = re.compile(
    rf"(?i:{_AUXILIARY}) (?P<name>(?:the )?[A-Z][\w.'’-]*(?: (?:of |the )?[A-Z][\w.'’-]*){{0,5}})"
)
_OWN = re.compile(r"(?:its|his|her|their) (?P<thing>.+)", re.IGNORECASE)
_PASSIVE = re.compile(r"(?P<name>.+?) (?P<be>was|were) (?P<done>.+)")
_DOING = re.compile(r"[a-z]{2,}ing\b.*")
_NOUN_OF = re.compile(r"(?:the )?(?P<noun>[a-z]+) of (?P<name>.+)", re.IGNORECASE)
_NAMES_NOUN = re.compile(r"(?P<name>.+?)['’]s? (?P<noun>[a-z]+)", re.IGNORECASE)
_OWN_NOUN = re.compile(r"(?:its|his|her|their) (?P<noun>[a-z]+)", re.IGNORECASE)
_SUBJECT = re.compile(rf"{_AUXILIARY} (?P<name>.+) [a-z]+", re.IGNORECASE)
# What happened, for the nouns that say so.
_HAPPENED = {
    "founding": "founded", "foundation": "founded", "establishment": "established",
    "opening": "opened", "closing": "closed", "closure": "closed", "building": "built",
    "construction": "built", "completion": "completed", "discovery": "discovered",
    "invention": "invented", "introduction": "introduced", "installation": "installed",
    "publication": "published", "release": "released", "launch": "launched", "birth": "born",
    "sinking": "sunk", "loss": "lost", "destruction": "destroyed", "dissolution": "dissolved",
}  # fmt: skip
_DIED = {"death": "die", "arrival": "arrive", "retirement": "retire", "wreck": "sink"}
_BASE = {"died": "die", "retired": "retire", "married": "marry", "arrived": "arrive"}


class TimeBetween(NamedTuple):
    """The questions for two dates; `of_age` if only full years count, `in_order` if the second date
    must be later than the first."""

    first: str
    last: str
    of_age: bool = False
    in_order: bool = False


def time_between(text: str) -> TimeBetween | None:
    """The dates that a question without its question mark needs; None for another question."""
    if match := _AGED.fullmatch(text):
        name = match["name"]
        last = match["die"] or _BASE.get(match["last"], match["last"])
        asked = f"was {name} {last[4:]}" if last.startswith("was ") else f"did {name} {last}"
        if last in _BASE.values() or last.startswith("was "):
            return TimeBetween(f"When was {name} born?", f"When {asked}?", of_age=True)
        return None
    if match := _BETWEEN.fullmatch(text):
        first, last = _when(match["first"]), _when(match["last"])
    elif match := _APART.fullmatch(text):
        subject = _NAME.match(match["last"]) or _SUBJECT.fullmatch(match["last"])
        first = _when(match["first"], subject["name"] if subject else "")
        last = f"When {match['last']}?"
    else:
        return None
    return TimeBetween(first, last) if first and last else None


def dates_in_order(text: str) -> TimeBetween | None:
    """The dates of two events of which a question without its question mark asks whether the first
    was before the second; None for another question."""
    match = _ORDER.fullmatch(text)
    if match is None:
        return None
    first, last = match["first"], match["last"]
    named = _NAME.match(first)
    name = named["name"] if named else ""
    return TimeBetween(
        f"When {first[0].lower()}{first[1:]}?", _when(last, name) or _told(last, name)
    )


def time_of_state(text: str) -> str:
    """The question when something was so, for a question without its question mark that asks for
    how many years; "" for another question."""
    match = _LASTED.fullmatch(text)
    return f"When {match['clause']}?" if match else ""


def _told(event: str, name: str) -> str:
    """The question for the date of an event that a clause tells, or a thing of `name`."""
    if name and (own := _OWN.fullmatch(event)):
        return f"When was the {own['thing']} of {name}?"
    if name and _DOING.fullmatch(event):
        return f"When was {name} {event}?"
    if told := _PASSIVE.fullmatch(event):
        return f"When {told['be']} {told['name']} {told['done']}?"
    return f"When was {event}?"


def _when(event: str, owner: str = "") -> str:
    """The question for the date of an event that a noun names, "" for another; `owner` is what "its
    opening" belongs to."""
    if own := _OWN_NOUN.fullmatch(event):
        noun, name = own["noun"].lower(), owner
    elif match := _NOUN_OF.fullmatch(event) or _NAMES_NOUN.fullmatch(event):
        noun, name = match["noun"].lower(), match["name"]
    else:
        return ""
    if name and noun in _HAPPENED:
        return f"When was {name} {_HAPPENED[noun]}?"
    return f"When did {name} {_DIED[noun]}?" if name and noun in _DIED else ""

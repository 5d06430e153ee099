"""Questions for the years from one event to a later one, where no noun of a list names the events.

"How many years passed between the last eels in the Fell and their return?"
                                 When was the last eels in the Fell?  When was the eels' return?
"How many years after its first sailing was the Dunlin sold?"
                                 When was the Dunlin's first sailing?  When was the Dunlin sold?
"How old was Tarn Mill when it first made paper?"
                                 When was Tarn Mill founded?  When was it that Tarn Mill first ...?

Such questions find more dates of other events than those with known verbs, so the dates must be in
the order that the question says. One without a name gets that of the other event in brackets.
"""

from __future__ import annotations

import re

from factmill.models.answering.decomposing.times_between import TimeBetween

_NAME = r"(?:the )?[A-Z][\w.'’-]*(?: (?:of |the )?[A-Z][\w.'’-]*){0,5}"
_OWN = r"(?:its|his|her|their)"
_PASSED = (
    r"how many years(?: (?:pass(?:ed)?|elapsed?|went by|go by|lie|lay|(?:are|were)(?: there)?))?"
    r" (?:in )?between"
)
_EVENT = rf"(?:(?i:the|{_OWN})|[A-Z][\w.'’-]*) (?:(?! and ).)+"
_BETWEEN = re.compile(rf"(?i:{_PASSED}) (?P<first>{_EVENT}) and (?P<last>{_EVENT})")
_AFTER = re.compile(
    rf"(?i:how many years) (?P<order>after|before) (?P<event>(?:the|{_OWN}) .+?)"
    r" (?P<clause>(?:did|was|were) .+)"
)
_AGED = re.compile(r"(?i:how old was) (?P<name>.+?) when it (?P<last>(?!(?:was|had) )[a-z]+ .+)")
_OF_OWNER = re.compile(rf"{_OWN} (?P<event>.+)", re.IGNORECASE)
# Whose event it is: "the last run of the Dunlin", "the Dunlin's last run", "the last eels".
_OWNERS = (
    re.compile(rf".+ (?:of|on|by) (?P<name>{_NAME})"),
    re.compile(r"(?P<name>.+)(?:'s|’s|(?<=s)['’]) .+"),
    re.compile(r"the .+ of (?P<name>[a-z]+)"),
    re.compile(r"(?P<name>the (?:first|last|final) [a-z]+)(?: .+)?"),
)
_ORDINAL = re.compile(r"(?<=the )(?:first|last|final) ")
_SUBJECT = re.compile(rf"(?:did|was|were) (?P<name>{_NAME})")


def events_apart(text: str) -> TimeBetween | None:
    """The dates that a question without its question mark needs; None for another question."""
    if match := _BETWEEN.fullmatch(text):
        first, last = match["first"], match["last"]
        return _in_order(_named(_when(first), last), _named(_when(last, _owner(first)), first))
    if match := _AFTER.fullmatch(text):
        subject = _SUBJECT.match(match["clause"])
        event = _when(match["event"], subject["name"] if subject else "")
        clause = match["clause"]
        both = _named(event, clause), f"When {clause}?"
        return _in_order(*(both if match["order"] == "after" else both[::-1]))
    if match := _AGED.fullmatch(text):
        name, last = match["name"], match["last"]
        return _in_order(f"When was {name} founded?", f"When was it that {name} {last}?")
    return None


def _in_order(first: str, last: str) -> TimeBetween | None:
    return TimeBetween(first, last, in_order=True) if first and last else None


def _named(question: str, other: str) -> str:
    """A question without a name, with the one of the other event."""
    name = re.search(_NAME, other)
    if not question or name is None or re.search(_NAME, question.removeprefix("When ")):
        return question
    return f"{question.rstrip('?')} ({name.group()})?"


def _when(event: str, owner: str = "") -> str:
    """The question for the date of an event; "" for one whose owner is not found."""
    own = _OF_OWNER.fullmatch(event)
    if own is None:
        return f"When was {event}?"
    whose = f"{owner}'" if owner.endswith("s") else f"{owner}'s"
    return f"When was {whose} {own['event']}?" if owner else ""


def _owner(event: str) -> str:
    """Whose event it is, "" where it is not found."""
    match = next((found for rule in _OWNERS if (found := rule.fullmatch(event))), None)
    return _ORDINAL.sub("", match["name"]) if match else ""

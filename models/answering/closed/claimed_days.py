"""Whether something is so on the days or in the months that a question names.

"Is the shop open on Mondays?"      "It is open from Tuesday to Sunday."    no
                                    "It is open daily."                     yes
"Does the boat sail in December?"   "She sails from April to October."      no

What is said of other days says nothing, unless the sentence names a range, says "only", or names
the days on which something is open: these are all the days.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from factmill.models.answering.words.asked_for import NEGATION
from factmill.models.answering.words.content_words import content_stems, stem_set

_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_SEASONS = {
    "winter": {11, 0, 1}, "spring": {2, 3, 4}, "summer": {5, 6, 7}, "autumn": {8, 9, 10},
}  # fmt: skip
_DAY = rf"(?:{'|'.join(_DAYS)})s?"
_SHORT_DAY = rf"(?:{_DAY}|(?:mon|tues?|wed|thurs?|fri|sat|sun)\b\.?)"
_GROUPS = {"weekend": {5, 6}, "weekday": {0, 1, 2, 3, 4}, "working day": {0, 1, 2, 3, 4}}
_WHOLE_WEEK = r"daily|every day|each day|seven days a week|all week"
_TO = r"(?: to | until | through | till |\s?[-–—]\s?)"
_DATE = r"(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?"
_SAID_DAYS = re.compile(
    rf"\b(?:(?P<all>{_WHOLE_WEEK})|(?P<first>{_SHORT_DAY}){_TO}(?P<last>{_SHORT_DAY})(?!\w)"
    rf"|(?P<one>{_DAY})(?!\w)|(?P<group>{'|'.join(_GROUPS)})s?)(?!\w)"
)
_MONTH = rf"(?:{'|'.join(_MONTHS)})"
_SAID_MONTHS = re.compile(
    rf"\b(?:(?P<all>(?:all|the whole) year(?: round)?|every month)"
    rf"|{_DATE}(?P<first>{_MONTH}){_TO}{_DATE}(?P<last>{_MONTH})\b"
    rf"|(?:in |during )(?P<one>{_MONTH})\b"
    rf"|(?:in |during )(?:the )?(?P<group>{'|'.join(_SEASONS)})\b)"
)
_ASKED_DAYS = re.compile(
    rf"\b(?:on|at|during) (?:an? |the |every )?"
    rf"(?:(?P<one>{_DAY})|(?P<group>{'|'.join(_GROUPS)})s?)(?= \w|\?|$)(?! \d)"
)
_ASKED_MONTHS = re.compile(
    rf"\b(?:in|during) (?:the )?(?:(?P<one>{_MONTH})|(?P<group>{'|'.join(_SEASONS)}))(?=\?| \D|$)"
)
_MAY = _MONTHS.index("may")
_PAST = re.compile(r"\b(?:was|were)\b")
_ALWAYS = re.compile(r"(?:is|are|do|does|can|may)\b", re.IGNORECASE)
# What is said of one day of one year, which is no rule.
_ONCE = re.compile(rf"\b[12]\d{{3}}\b|\d (?:{_MONTH}) (?:was|were)\b|\b(?:first|last|next|this) ")
_DAY_OF_MONTH = re.compile(rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}|{_MONTH} \d)")
_CLOSED = re.compile(rf"\b(?:closed|shut)\b|{NEGATION.pattern}")
_STATE = re.compile(r"\b(?:open|opens|opening|closed|closes|shut|visit|visited)\b")
_OPEN_ON = re.compile(rf"\bopen (?:only |on )*{_DAY}")
_ADVERBS = stem_set("again always daily normally only still usually now")
_EXCEPT = re.compile(r"\b(?:except|apart from|other than|but not|not|excluding)\b")
_PARTS = re.compile(r"[,;]|\b(?:but|and (?=closed|shut|is closed|are closed))")
_BEHIND_NOUN = re.compile(r"\b(?:of|in|at|on|by|near|behind|with|from|for)\b", re.IGNORECASE)
_ONLY = re.compile(r"\bonly\b")


class ClaimedDays(NamedTuple):
    """The days of the week, or the months, that a question names, by number; the stems of these
    words, and of "open" and "closed" where it asks for that; whether it asks for what is closed."""

    stems: frozenset[str]
    asked: frozenset[int]
    of_week: bool
    of_opening: bool
    closed: bool

    def holds(self, text: str, around: str, stems: frozenset[str]) -> bool | None:
        """Whether a sentence about a thing with these stems says so for all of them, or denies it
        for all; None if neither. What is around it may say something of other days."""
        told = text.lower()
        if self.of_opening and not _is_opened(told, stems):
            return None
        other = self.of_week and (_DAY_OF_MONTH.search(told) or _SAID_MONTHS.search(told))
        if other or _ONCE.search(told):
            return None
        so, not_so, complete = self._told(told)
        if not so and not not_so:
            return None
        if self.asked <= not_so:
            return self.closed
        if self.asked <= so - not_so:
            return not self.closed
        if not complete or not so or self.asked & so:
            return None
        elsewhere = (self._told(part.lower())[0] for part in around.split("\n"))
        return None if any(self.asked & days for days in elsewhere) else self.closed

    def is_of_another(self, text: str, question: str) -> bool:
        """Whether a sentence is about a time that has been, and a question about what always is so,
        or a question is about May, and the sentence is not. ("May" is no word of its content.)"""
        if not self.of_week and _MAY in self.asked and "May" not in text:
            return True
        told = text.lower()
        once = _ONCE.search(told) and _PAST.search(told)
        return once is not None and _ALWAYS.match(question) is not None

    def _told(self, told: str) -> tuple[set[int], set[int], bool]:
        """On which days it is so, on which not; whether the first are all."""
        pattern = _SAID_DAYS if self.of_week else _SAID_MONTHS
        so, not_so = set[int](), set[int]()
        complete = _OPEN_ON.search(told) is not None or _ONLY.search(told) is not None
        denied = False
        for part in _PARTS.split(told):
            if _CLOSED.search(part):
                denied = True
            elif re.search(r"\w{4,}", pattern.sub("", part)):
                denied = False
            except_at = _EXCEPT.search(part)
            for said in pattern.finditer(part):
                days = _numbers(said, self.of_week)
                complete = complete or bool(said["first"] or said["all"])
                turned = except_at is not None and said.start() > except_at.start()
                excepted = except_at is not None and said.start() < except_at.start()
                (not_so if (turned or (denied and not excepted)) else so).update(days)
        return so, not_so, complete


@lru_cache(64)  # asked for each sentence
def claimed_days(question: str) -> ClaimedDays | None:
    """The days or the months that a question names; None where it names none."""
    asked = question.lower()
    state = _STATE.search(asked)
    closed = state is not None and state.group() in {"closed", "shut"}
    for pattern, of_week in ((_ASKED_DAYS, True), (_ASKED_MONTHS, False)):
        if match := pattern.search(asked):
            said = f"{match.group()} {state.group() if state else ''}"
            days = frozenset(_numbers(match, of_week))
            return ClaimedDays(stem_set(said), days, of_week, state is not None, closed)
    return None


def _is_opened(told: str, stems: frozenset[str]) -> bool:
    """Whether a sentence says that a thing with these stems, or what it stands for, is open or
    closed: "The museum is open", "It is closed", not "The museum's shop is open"."""
    state = _STATE.search(told)
    if state is None:
        return False
    return is_subject(_SAID_DAYS.sub("", told[: state.start()]), stems)


def is_subject(before: str, stems: frozenset[str]) -> bool:
    """Whether the words before a verb name one of these stems, or leave open what they are about:
    "the tower by the door", not "the door of the tower"."""
    clause = re.split(r"[,;:.]|\b(?:and|but)\b", before)[-1]
    for words in (_BEHIND_NOUN.split(clause)[0], clause):
        if subject := [one for one in content_stems(words) if one not in _ADVERBS]:
            return subject[-1] in stems
    return True


def _numbers(match: re.Match[str], of_week: bool) -> set[int]:
    """The days or months that were matched, by number."""
    found = match.groupdict()
    cycle = _DAYS if of_week else _MONTHS
    if found.get("all"):
        return set(range(len(cycle)))
    if found.get("group"):
        return set((_GROUPS if of_week else _SEASONS)[found["group"]])
    if found.get("one"):
        return {_number(found["one"], cycle)}
    first, last = _number(found["first"], cycle), _number(found["last"], cycle)
    return {(first + n) % len(cycle) for n in range((last - first) % len(cycle) + 1)}


def _number(name: str, cycle: list[str]) -> int:
    return next(n for n, one in enumerate(cycle) if one.startswith(name[:3]))

"""Whether a sentence says of another what a question claims of one: who did it to whom.

"Did Ann defeat Bob?"  "Bob defeated Ann." "Ann was defeated by Bob."   the other way round
                       "Bob was defeated by Ann."                       the same
"Did Ann marry?"       "She was born in Oss, where her father married." another
"""

from __future__ import annotations

import re

from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import content_stems

_RELATIVE = re.compile(
    r"(?:^|, |\b(?:where|when|that|because|while|and|but|as) )"
    r"(?:her|his|their|its) (?P<who>[\w-]+)",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"\b(?:he|she|it|they|who)\b", re.IGNORECASE)
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|been|being)\b(?:,? [\w.-]+){0,8}?,? by\b", re.IGNORECASE
)


def are_reversed(asked: AskedFor, text: str) -> bool:
    """Whether the names around a verb of the question stand around it the other way in a text."""
    question, told = content_stems(asked.text), content_stems(text)
    changed = _is_passive(asked.text) != _is_passive(text)
    for place, verb in enumerate(question):
        before = asked.names.intersection(question[:place]) - {verb}
        behind = asked.names.intersection(question[place + 1 :]) - before
        if verb in asked.names or not before or not behind or verb not in told:
            continue
        sides = _sides(told, verb, before), _sides(told, verb, behind)
        if None not in sides and sides[0] != sides[1]:
            return (sides[0] == "behind") != changed
    return False


def is_of_relative(text: str, asked: frozenset[str], core: frozenset[str]) -> bool:
    """Whether a sentence says it of "her father" or "its crew", whom the question does not name."""
    for match in _RELATIVE.finditer(text):
        behind = text[match.end() :]
        told = re.split(r"[;.]", behind)[0]
        if (again := _AGAIN.search(told)) is not None:
            told = told[: again.start()]
        if core.intersection(content_stems(told)) and asked.isdisjoint(content_stems(match["who"])):
            return core.isdisjoint(content_stems(text[: match.start()]))
    return False


def _is_passive(text: str) -> bool:
    return _PASSIVE.search(text) is not None


def _sides(told: list[str], verb: str, names: frozenset[str]) -> str | None:
    """The side of the verb on which all of the names stand that a text has; None if on both."""
    place = told.index(verb)
    before = names.intersection(told[:place])
    behind = names.intersection(told[place + 1 :])
    if bool(before) == bool(behind):
        return None
    return "before" if before else "behind"

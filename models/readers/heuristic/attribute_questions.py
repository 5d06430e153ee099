"""Asks for an attribute of a thing, as a column, a key or a line of data names it."""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.key_lines import ATTRIBUTES

_PLURAL = re.compile(r"(?<!s)(?<!u)(?<!i)s$(?<!series)(?<!species)")
# "Year founded"
_DATED = re.compile(
    r"(?i:year|date) (?P<done>founded|born|built|opened|launched|released|incorporated|established"
    r"|created)"
)
# Keys that are not nouns: "What is the founded of ..."
_PARTICIPLES = frozenset(
    "founded born opened launched released incorporated established created starring".split()
)
# Attributes that are people.
_PERSONS = frozenset(
    "architect artist author ceo chairman coach composer creator director editor founder "
    "manager mayor president trainer writer".split()
)

# "38,000 (2013)", not "16–4".
_COUNT = re.compile(r"\d{1,3}(?:[, ]?\d{3})*(?: \([^()]*\))?")
# Plurals of which nobody has a number.
_UNCOUNTED = frozenset("assets coordinates dimensions earnings odds revenues sales".split())


def attribute_question(column: str, of: str, value: str = "", within: str = "") -> str:
    """ "What is the height of Skell Mill?", "What are the owners of Skell Mill?", "Who is the
    director of Skell Mill?", "When was Skell Mill built?"; if the value is a number, "How many
    rooms does Skell Mill have?" `within`: the table that says so, "in Mills of the north"."""
    noun = as_noun(column)
    where = f" in {within}" if within else ""
    if dated := _DATED.fullmatch(noun):
        return f"When was {of}{where} {dated['done']}?"
    last = noun.split()[-1].lower()
    plural = _PLURAL.search(noun.split(" of ")[0]) is not None
    if plural and last not in _UNCOUNTED and _COUNT.fullmatch(value):
        return f"How many {noun} does {of} have{where}?"
    asked = "Who" if last.rstrip("s") in _PERSONS else "What"
    return f"{asked} {'are' if plural else 'is'} the {noun} of {of}{where}?"


def is_attribute(noun: str) -> bool:
    """Whether an entity may have such an attribute: "closing price", not "2019" or "standard"."""
    words = noun.lower().split()
    if _DATED.fullmatch(noun):
        return True
    if words[-1] in _PARTICIPLES:
        return False
    return len(words) <= 4 and noun.replace(" ", "").isalpha() and words[-1] in ATTRIBUTES


def as_noun(column: str) -> str:
    """The column's name inside a question: "Height" becomes "height", "GDP" stays."""
    return " ".join(
        word.lower() if len(word) > 1 and word[0].isupper() and word[1:].islower() else word
        for word in column.split(" ")
    )

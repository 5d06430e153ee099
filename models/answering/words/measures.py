"""What a question measures: a height is no length, and a length takes no time."""

from __future__ import annotations

import re

# What takes time, and is not long: "How long does it ripen?"
TAKES_TIME = re.compile(
    r"\bhow long (?:do|does|did|will|would|must|should|can|has|have|had)\b.*"
    r"\b(?:take|last|ripen|mature|wait|stay|live|need|remain|cook|bake|rest|serve|survive|exist)\b",
    re.IGNORECASE,
)
A_LENGTH = re.compile(
    r"\d\s?(?:[kcm]?m|ft|feet|foot|inch(?:es)?|miles?|yards?|(?:kilo)?met(?:re|er)s?)\b"
)
_MEASURES = {
    "long": "length long duration time distance",
    "tall": "height tall high",
    "high": "height high elevation altitude level",
    "wide": "width wide breadth beam span",
    "deep": "depth deep draught draft",
    "heavy": "weight heavy mass displacement",
    "fast": "speed fast",
    "old": "age old",
    "far": "distance far range length",
}
_ALL = frozenset(" ".join(_MEASURES.values()).split()) | frozenset(
    "area size price cost fare fee temperature power capacity population diameter thickness".split()
)
_HOW = re.compile(rf"\bhow ({'|'.join(_MEASURES)})\b", re.IGNORECASE)
_FAR_ABOVE = re.compile(r"\bhow far (?:above|below)\b", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")


def measures_another(question: str, header: str, cell: str) -> bool:
    """Whether a column has another measure than a question asks for. Its header names it: "how
    long", and "Height". Or a cell is a length, and the question is how long something takes."""
    match = _HOW.search(question)
    if match is None:
        return False
    if TAKES_TIME.search(question) and A_LENGTH.search(cell):
        return True
    measure = "high" if _FAR_ABOVE.search(question) else match[1].lower()
    named = _ALL.intersection(_LETTERS.findall(header.lower()))
    return bool(named) and not named.intersection(_MEASURES[measure].split())

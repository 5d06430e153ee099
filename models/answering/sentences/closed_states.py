"""States that a question and a sentence name in other words, or by their opposite.

"Do I have to pay to get in?"   "Entry is free."            no
"Was anybody injured?"          "All came back unhurt."     no
"Did she have a husband?"       "She married in 1901."      yes
"""

from __future__ import annotations

import re

from factmill.models.answering.words.content_words import stem

# Words for a state, and words for its opposite.
_STATES = tuple(
    (frozenset(map(stem, so.split())), frozenset(map(stem, opposite.split())))
    for so, opposite in (
        ("pay paid charge fee ticket", "free gratis"),
        ("marry married husband wife spouse wed", "unmarried bachelor spinster"),
        (
            "hurt injured wounded harmed killed die died dead drowned perished casualty",
            "unhurt uninjured unharmed unscathed alive survive survived survivor",
        ),
        ("allowed permitted", "forbidden prohibited banned"),
        ("cancel cancelled scrapped", ""),
        ("enter entry entrance admission admitted", ""),
    )
)
_PHRASES = tuple(
    (re.compile(rf"\b(?:{said})\b", re.IGNORECASE), plain)
    for said, plain in (
        (r"(?:have|has|had) (?:a|any|her own|his own) (?:husband|wife|spouse)", "marry"),
        (r"(?:lose|lost) (?:their|his|her) (?:life|lives)", "die"),
        (r"called off", "cancelled"),
        (r"(?:get|go|come) in(?:to|side)?(?= the\b|\?|$)", "enter"),
        (r"buy (?:a )?tickets?", "pay"),
    )
)


def in_plain_words(question: str) -> str:
    """A question with one word for each phrase that names a state."""
    for said, plain in _PHRASES:
        question = said.sub(plain, question)
    return question


def stated(asked: frozenset[str], sentence: frozenset[str]) -> tuple[frozenset[str], bool]:
    """The stems of a question whose states a sentence names in other words, and whether it names
    the opposite."""
    covered: set[str] = set()
    opposite = False
    for so, not_so in _STATES:
        words = (asked - sentence) & (so | not_so)
        said = (sentence - asked) & (so | not_so)
        if words and said and not (said & so and said & not_so):
            covered |= words
            opposite ^= bool(words & not_so) != bool(said & not_so)
    return frozenset(covered), opposite

"""States that a question and a sentence name in other words, or by their opposite.

"Do I have to pay to get in?"   "Entry is free."            no
"Was anybody injured?"          "All came back unhurt."     no
"Did she have a husband?"       "She married in 1901."      yes
"Can it go in the dishwasher?"  "Dishwasher-safe."          yes
"""

from __future__ import annotations

import re

from factmill.models.answering.words.content_words import content_stems, stem

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
        ("safe suitable", "unsafe unsuitable"),
    )
)
_MACHINE = r"(?:a|the) (?=(?:dishwasher|microwave|freezer)\b)"
_PHRASES = tuple(
    (re.compile(rf"\b(?:{said})\b", re.IGNORECASE), plain)
    for said, plain in (
        (r"(?:have|has|had) (?:a|any|her own|his own) (?:husband|wife|spouse)", "marry"),
        (r"(?:lose|lost) (?:their|his|her) (?:life|lives)", "die"),
        (r"called off", "cancelled"),
        (rf"(?:go|be put|be used) in(?:to)? {_MACHINE}", "safe "),
        (rf"(?:put|use) ([^?]{{1,60}}?) in(?:to)? {_MACHINE}", r"safe \1 "),
        (r"([a-z]+)-(safe|proof|resistant|friendly|washable|free)", r"\1 \2"),
        (r"(?:get|go|come) in(?:to|side)?(?= the\b|\?|$)", "enter"),
        (r"buy (?:a )?tickets?", "pay"),
    )
)

# Words in one: "food-safe". Those that begin so say the opposite of their parts.
_COMPOUND = re.compile(
    r"(?<![\w-])(?!(?:non|un|anti|not?|ex|pre|half|semi)-)\w+(?:-\w+)+", re.IGNORECASE
)


def compounds(text: str, asked: frozenset[str]) -> frozenset[str]:
    """The stems of the words in one of which a question has the last: "safe" in "food-safe"."""
    parts = [content_stems(match.group().replace("-", " ")) for match in _COMPOUND.finditer(text)]
    return frozenset(
        one for of_word in parts if of_word and of_word[-1] in asked for one in of_word
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

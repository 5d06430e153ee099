"""States that a question and a sentence name in other words, or by their opposite.

"Do I have to pay to get in?"   "Entry is free."            no
"Was anybody injured?"          "All came back unhurt."     no
"Did she have a husband?"       "She married in 1901."      yes
"Can it go in the dishwasher?"  "Dishwasher-safe."          yes
"Can I bring my dog?"           "Dogs are forbidden."       no
"Is the isle inhabited?"        "An uninhabited isle."      no
"""

from __future__ import annotations

import re

from factmill.models.answering.closed.claimed_days import is_subject
from factmill.models.answering.words.content_words import content_stems, stem

# Words for a state, and words for its opposite.
_STATES = tuple(
    (frozenset(map(stem, so.split())), frozenset(map(stem, opposite.split())))
    for so, opposite in (
        ("pay paid charge fee ticket cost", "free gratis"),
        ("marry married husband wife spouse wed", "unmarried bachelor spinster"),
        (
            "hurt injured wounded harmed killed die died dead drowned perished casualty",
            "unhurt uninjured unharmed unscathed alive survive survived survivor",
        ),
        ("allowed permitted welcome", "forbidden prohibited banned"),
        ("include included", "exclude excluded extra"),
        ("need needed necessary require required compulsory", "optional"),
        ("cancel cancelled scrapped", ""),
        ("enter entry entrance admission admitted", ""),
        ("safe suitable", "unsafe unsuitable"),
    )
)
# What a question for what one may do says besides "allowed"; a sentence need not.
_MAY = re.compile(r"(?:can|could|may|might|(?:is|are|am) .*\b(?:allowed|permitted|possible|ok)\b)")
_DOING = frozenset(map(stem, "bring take".split()))
_ALLOWED = frozenset(map(stem, "allowed permitted welcome forbidden prohibited banned".split()))
_FORBIDDEN = frozenset(map(stem, "forbidden prohibited banned".split()))
# Words that begin with a syllable that denies; and whose stems look so by chance.
_DENIED = re.compile(
    r"(?:un(?=\w{4})|(?:in|im|il|ir)(?=\w{3,}(?:abl|ibl|al|iv|ct|et|at)$))(?P<so>\w+)"
)
_NOT_DENIED = frozenset(map(stem, "invaluable inflammable inhabitable unravel unloosen".split()))
_MACHINE = r"(?:a|the) (?=(?:dishwasher|microwave)\b)"
_PHRASES = tuple(
    (re.compile(rf"\b(?:{said})\b", re.IGNORECASE), plain)
    for said, plain in (
        (r"(?:have|has|had) (?:a|any|her own|his own) (?:husband|wife|spouse)", "marry"),
        (r"(?:lose|lost) (?:their|his|her) (?:life|lives)", "die"),
        (r"called off", "cancelled"),
        (rf"(?:go|be put|be used) in(?:to)? {_MACHINE}", "safe "),
        (rf"(?:put|use) ([^?]{{1,60}}?) in(?:to)? {_MACHINE}", r"safe \1 "),
        (r"(?:go|be put) in(?:to)? (?:a|the) freezer", "freeze"),
        (r"put ([^?]{1,60}?) in(?:to)? (?:a|the) freezer", r"freeze \1"),
        (r"([a-z]+)-(safe|proof|resistant|friendly|washable|free)", r"\1 \2"),
        (r"(?:get|go|come) in(?:to|side)?(?= the\b|\?|$)", "enter"),
        (r"buy (?:a )?tickets?", "pay"),
    )
)

# "The tower is closed.", at this time or always; not "on Mondays".
_OPENED = re.compile(
    r"\b(?:is|are|remains?|stays?) (?:(?:now|still|currently|permanently|temporarily) )*"
    r"(?P<state>open|closed|shut)\b(?=(?: to [^.;,]*)?(?:[.;,]|$))",
    re.IGNORECASE,
)
_ASKS_OPENED = re.compile(r"(?:is|are) .*\b(?P<state>open|closed|shut)\b", re.IGNORECASE)
_FREEZER_SAFE = content_stems("freezer safe")
# Words in one: "food-safe". Those that begin so say the opposite of their parts.
_COMPOUND = re.compile(
    r"(?<![\w-])(?!(?:non|un|anti|not?|ex|pre|half|semi)-)\w+(?:-\w+)+", re.IGNORECASE
)


def in_forms_of(asked: frozenset[str], said: frozenset[str]) -> dict[str, str]:
    """The stems of a question that a text has in the other number, whose stem is another one:
    "dog" and "dogs", "Sunday" and "Sundays"."""
    found = {}
    for word in asked - said:
        others = (f"{word}s", f"{word}y", word[:-1] if word[-1:] in {"s", "y"} else "")
        for other in others:
            if (
                len(other) > 2
                and len(word) > 2
                and other in said
                and {word, other} != {"new", "news"}
            ):
                found[word] = other
    return found


def compounds(text: str, asked: frozenset[str]) -> frozenset[str]:
    """The stems of the words in one of which a question has the last: "safe" in "food-safe". What
    is freezer-safe can be frozen."""
    parts = [content_stems(match.group().replace("-", " ")) for match in _COMPOUND.finditer(text)]
    return frozenset(
        one
        for of_word in parts
        if of_word and (of_word[-1] in asked or (of_word == _FREEZER_SAFE and of_word[0] in asked))
        for one in of_word
    )


def in_plain_words(question: str) -> str:
    """A question with one word for each phrase that names a state."""
    for said, plain in _PHRASES:
        question = said.sub(plain, question)
    return question


def stated(
    asked: frozenset[str],
    sentence: frozenset[str],
    around: frozenset[str],
    question: str,
    text: str,
) -> tuple[frozenset[str], bool]:
    """The stems of a question whose states a sentence names in other words, and whether it names
    the opposite. States that have no opposite may stand in its heading or title, `around` it."""
    covered: set[str] = set()
    opposite = False
    for one, other in ((sentence - asked, asked - sentence), (asked - sentence, sentence - asked)):
        for word in one - _NOT_DENIED:
            denied = _DENIED.fullmatch(word)
            if denied and denied["so"] in other:
                covered |= {word, denied["so"]} & asked
                opposite = True
    opened, asks = _OPENED.search(text), _ASKS_OPENED.match(question)
    if opened and not is_subject(text[: opened.start()], asked):
        opened = None
    if opened and asks and (word := stem(asks["state"].lower())) in asked - sentence:
        covered.add(word)
        opposite ^= (asks["state"].lower() == "open") != (opened["state"].lower() == "open")
    if _MAY.match(question.lower()):
        if sentence & _ALLOWED:
            covered |= asked & _DOING
        if sentence & _FORBIDDEN and not asked & _ALLOWED:
            opposite = True
    for so, not_so in _STATES:
        words = (asked - sentence) & (so | not_so)
        said = ((sentence if not_so else sentence | around) - asked) & (so | not_so)
        if words and said and not (said & so and said & not_so):
            covered |= words
            opposite ^= bool(words & not_so) != bool(said & not_so)
    return frozenset(covered), opposite

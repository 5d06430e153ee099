"""What a question asks for: the kind of answer, its noun, one or all, negated or not.

"Which boats won the Hale Lamp from 2018 to 2020?"   kind THING, noun "boat", all of them
"Which ship has no Wi-Fi?"                           negated
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from factmill.models.answering.words.content_words import STOP, content_stems, stem
from factmill.models.answering.words.question_kinds import Kind, kind_of

_WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")
_CAPITAL = re.compile(r"(?<=\s)[\"“'‘(]?((?!I\b)[^\W\d_a-z][\w'’.-]*|\d[\d.,:/-]*)")
# Of "Which of Ann Lund's works" the name may have been taken out before.
_FOCUS = re.compile(
    r"(?:\b(?:which|what|how many|how much)\s+(?:of\s+)?|^(?:name|list)\s+(?:all\s+)?(?:of\s+)?)"
    r"(?:the\s+)?(?:['’]s\s+)?(.+)",
    re.IGNORECASE,
)
_MOST_WITH_NAMES = 8
_COPULA = re.compile(r"(?:is|are|was|were)\s+(?:the\s+)?(?:names? of (?:the )?)?", re.IGNORECASE)
_PLURAL = re.compile(
    r"(?!.*(?:ss|us|is|ous|ics|news|series)$)[^\W\d_]{3,}s$|(?:men|women|people|children)$"
)
# Verbs that look like plurals but are seldom nouns: "Which river flows through Tallow?"
_VERBS = frozenset(
    (
        "owns holds goes flies separates contains takes flows serves differentiates explains "
        "celebrates oversees requires crosses comes protects hauls pulls lets gets pays stands "
        "lies airs produces makes gives sells lives joins connects runs becomes remains includes "
        "provides offers follows extends operates publishes belongs maintains "
        "hosts allows says keeps sits writes teaches sings"
    ).split()
)
_ALL = re.compile(
    r"\b(?:all (?:the|of)|list|(?:two|three|four|five|six|seven|eight|nine|ten)\b)", re.I
)
NEGATION = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|without|neither|nor|cannot|except|lacks?|lacking)\b|n['’]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AskedFor:
    """A question as rules need it. `names` are the stems of words with capitals or digits, which
    must occur near the answer; `focus` are the stems of the words that describe what is asked for.
    """

    text: str
    kind: Kind
    stems: frozenset[str]
    names: frozenset[str]
    focus: tuple[str, ...]
    wants_all: bool
    negated: bool


@lru_cache(256)
def asked_for(question: str) -> AskedFor:
    """Analyse a question."""
    stems = content_stems(question)
    names = content_stems(" ".join(_CAPITAL.findall(question)))
    words = _focus_words(question)
    return AskedFor(
        question,
        kind_of(question),
        frozenset(stems),
        frozenset(names),
        tuple(dict.fromkeys(stem(word) for word in words)),
        _wants_all(question, _focus_words(question, _MOST_WITH_NAMES)),
        NEGATION.search(question) is not None,
    )


def is_negative(text: str) -> bool:
    """Whether a text contains a negation."""
    return NEGATION.search(text) is not None


def _focus_words(question: str, most: int = 4) -> list[str]:
    """The words after "which" or "what", up to the next function word."""
    match = _FOCUS.search(question)
    if match is None:
        return []
    rest = match[1]
    copula = _COPULA.match(rest)
    words: list[str] = []
    for word in _WORD.findall(rest[copula.end() :] if copula else rest):
        if word.lower() in STOP or len(words) == most:
            break
        words.append(word)
    return words


def _wants_all(question: str, focus: list[str]) -> bool:
    if question.lower().startswith("how"):
        return False
    # The names before a noun do not count: "Which East Marren League clubs won?"
    names = len(list(takewhile(lambda word: not word.islower(), focus)))
    named = any(
        _PLURAL.search(word)
        for number, word in enumerate(focus[: max(3, names + 1)])
        if word.islower() and not (number and word in _VERBS)
    )
    return named or (
        bool(focus) and _ALL.search(question) is not None and not focus[0][:1].isupper()
    )

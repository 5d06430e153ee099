"""Parentheticals after the subject: "Tom Hale, who was a painter, died", "Oslo, the
capital, is".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.grammar import FRONTING_WORDS
from factmill.models.readers.heuristic.lexicon import (
    AUXILIARIES,
    BE,
    SUBORDINATORS,
    Word,
    closed,
    is_participle,
    is_past_only,
    is_preposition,
    tense_of,
    words_of,
)
from factmill.models.readers.heuristic.phrases import has_object, opens_noun, skip_adverbs

MAX_SUBJECT_WORDS = 10
MAX_WORDS = 40
MAX_COMMAS = 4
# Participles of states, which last, and of events.
_LASTING = frozenset("known called located situated based".split())
_PARTICIPLES = _LASTING | frozenset(
    "named born founded established built opened nicknamed titled released published"
    " designed".split()
)
_PAST_OF_BE = {"is": "was", "are": "were"}
_HINT = re.compile(
    r"^(?:[^,(]|\([^()]*\)){1,160},\s(?:who|which|an?|the|one|also|best|often|once|first|later|born|built"
    r"|\w+(?:ly|ed|wn))\s"
    r".*,"
)


@dataclass(frozen=True, slots=True)
class Parenthetical:
    """`words[first : last + 1]`, between the subject and its verb, `words[verb]`. `opening` is the
    index of its first word that is not an adverb.
    """

    words: Sequence[Word]
    first: int
    last: int
    verb: int
    opening: int


def split_parenthetical(text: str) -> list[Rewrite]:
    """The sentence without the parenthetical between the subject and its verb, and the
    parenthetical as a sentence.
    """
    found = find_parenthetical(text)
    linking = None if found is None else linking_words(found)
    if found is None or linking is None:
        return []
    words, first, last = found.words, found.first, found.last
    begin = words[first + (words[first].low in {"who", "which"})].start
    subject = (0, closed(text, words[first - 1].end))
    named = next(word for word in reversed(words[:first]) if word.free)
    return [
        [subject, " ", (words[last + 1].start, len(text))],
        [(0, closed(text, named.end)), linking, (begin, closed(text, words[last].end))],
    ]


def find_parenthetical(text: str) -> Parenthetical | None:
    """From the comma after the subject to the comma before its verb."""
    if not _HINT.search(text):
        return None
    words = words_of(text)
    comma = next(
        (i for i, w in enumerate(words) if w.comma and (w.free or text.startswith("),", w.end))),
        None,
    )
    if comma is None:
        return None
    subject = [word for word in words[: comma + 1] if word.free]
    if len(subject) > MAX_SUBJECT_WORDS or not _names_something(text, words, comma):
        return None
    first = comma + 1
    commas = [i for i, w in enumerate(words[: first + MAX_WORDS]) if w.comma and w.free]
    for last in [index for index in commas if index > comma][: MAX_COMMAS - 1]:
        verb = skip_adverbs(words, last + 1)
        if (
            words[last + 1 : last + 2]
            and words[last + 1].low == "died"
            and _told_later(words, last)
        ):
            return None  # "Anna Lund, born in 1867, died in 1934, was a painter"
        if verb < len(words) and _surely_finite(words, verb):
            return Parenthetical(words, first, last, verb, skip_adverbs(words, first))
    return None


def _told_later(words: Sequence[Word], index: int) -> bool:
    """Whether a form of "be" follows a later comma."""
    pairs = zip(words[index + 1 :], words[index + 2 :], strict=False)
    return any(word.comma and behind.low in BE for word, behind in pairs)


def _names_something(text: str, words: Sequence[Word], comma: int) -> bool:
    """Whether the words up to the comma are exactly a noun phrase."""
    return (
        opens_noun(words[0])
        and words[0].low not in FRONTING_WORDS
        and not any(mark in text[: words[comma].end] for mark in '"“')
        and not any(
            word.low in SUBORDINATORS
            or (tense_of(word) and not (is_participle(word) and is_preposition(words[i + 1])))
            for i, word in enumerate(words[:comma])
        )
    )


def _surely_finite(words: Sequence[Word], index: int) -> bool:
    word = words[index]
    if word.low in AUXILIARIES or is_past_only(word):
        return word.free and not word.capital
    return tense_of(word) != "" and (has_object(words, index) or not is_participle(word))


class Link(Enum):
    """The word that joins the subject and a parenthetical into a sentence."""

    NONE = auto()  # the parenthetical states nothing for certain
    BLANK = auto()  # it has a verb of its own
    BE = auto()  # "is" or "was", like the sentence's verb
    PAST_OF_BE = auto()  # "was", for what happened once


@dataclass(frozen=True, slots=True)
class LinkRule:
    """`states` is the second sentence made from the example; "" for none."""

    name: str
    holds: Callable[[Parenthetical], bool]
    link: Link
    example: str
    states: str


def _opening_in(*lows: str) -> Callable[[Parenthetical], bool]:
    return lambda p: p.words[p.opening].low in lows


def _subject_has_two_nouns(p: Parenthetical) -> bool:
    """Either noun may be meant, unless the last one is part of a name: "The Treaty of Lund, signed
    in".
    """
    for i, word in enumerate(p.words[: p.first - 1]):
        named = p.words[i - 1].capital and p.words[p.opening].low in _PARTICIPLES
        if is_preposition(word) and not named and not p.words[i + 1].low[0].isdigit():
            return True
    return False


def _relative_with_verb(p: Parenthetical) -> bool:
    verb = skip_adverbs(p.words, p.first + 1)
    relative = p.words[p.first].low in {"who", "which"}
    return relative and verb < p.last and tense_of(p.words[verb]) != ""


def _has_finite_verb(p: Parenthetical) -> bool:
    return any(tense_of(w) and not is_participle(w) for w in p.words[p.first : p.last])


def _main_verb_is_have(p: Parenthetical) -> bool:
    return p.words[p.verb].low == "have"


def _opens_with(participles: frozenset[str]) -> Callable[[Parenthetical], bool]:
    return lambda p: p.opening < p.last and p.words[p.opening].low in participles


def _is_short(p: Parenthetical) -> bool:
    return p.last - p.first < 2


def _is_one_of_several(p: Parenthetical) -> bool:
    pairs = zip(p.words[p.first : p.last], p.words[p.first + 1 : p.last + 1], strict=True)
    return any(word.comma and following.low in {"and", "or"} for word, following in pairs)


def _one_of(p: Parenthetical) -> bool:
    return p.words[p.first].low == "one" and p.words[p.first + 1].low == "of"


def _the_behind_be(p: Parenthetical) -> bool:
    return p.words[p.opening].low == "the" and p.words[p.verb].low in BE


# The first matching rule decides; without one, the parenthetical states nothing for certain.
LINK_RULES = (
    LinkRule(
        "a subject of two nouns leaves open which is meant", _subject_has_two_nouns,
        Link.NONE, "The coast of Norway, the land of fjords, is steep.", "",
    ),
    LinkRule(
        "a relative clause with a verb states", _relative_with_verb,
        Link.BLANK, "Tom Hale, who was a painter, died in 1900.", "Tom Hale was a painter",
    ),
    LinkRule(
        "a finite verb makes it a clause of its own", _has_finite_verb,
        Link.NONE, "Skerrow, a town became rich early, is old.", "",
    ),
    LinkRule(
        "\"have\" does not tell whether the subject is one or several", _main_verb_is_have,
        Link.NONE, "Skerrow and Lund, located in Norway, have a port.", "",
    ),
    LinkRule(
        "a participle of a state lasts", _opens_with(_LASTING),
        Link.BE, "Skerrow, located in Norway, is old.", "Skerrow is located in Norway",
    ),
    LinkRule(
        "a participle of an event is past", _opens_with(_PARTICIPLES),
        Link.PAST_OF_BE, "Skerrow, founded in 1048, is old.", "Skerrow was founded in 1048",
    ),
    LinkRule(
        "two words say too little", _is_short,
        Link.NONE, "Tom Hale, a painter, is old.", "",
    ),
    LinkRule(
        "an \"and\" joins several subjects with their own", _is_one_of_several,
        Link.NONE, "Tom Hale, a painter from Oslo, and Anna Lund, a singer, were here.", "",
    ),
    LinkRule(
        "an indefinite noun describes the subject", _opening_in("a", "an"),
        Link.BE, "Tom Hale, a painter from Oslo, was old.", "Tom Hale was a painter from Oslo",
    ),
    LinkRule(
        "\"one of\" describes the subject", _one_of,
        Link.BE, "Oslo, one of the oldest towns, was big.", "Oslo was one of the oldest towns",
    ),
    LinkRule(
        "a definite noun describes it while the sentence does", _the_behind_be,
        Link.BE, "Oslo, the capital of Norway, is a port.", "Oslo is the capital of Norway",
    ),
)  # fmt: skip


def linking_words(p: Parenthetical, rules: Sequence[LinkRule] = LINK_RULES) -> str | None:
    """The words between the subject and its parenthetical, with blanks around them; None if it
    states nothing for certain.
    """
    link = next((rule.link for rule in rules if rule.holds(p)), Link.NONE)
    if link is Link.NONE:
        return None
    if link is Link.BLANK:
        return " "
    main = p.words[p.verb]
    if link is Link.BE and main.low not in BE and tense_of(main) == "past":
        return None  # "Tom Hale, a painter, said": he may still be one
    be = main.low if main.low in BE else "is"
    if link is Link.PAST_OF_BE and main.low not in BE:
        be = "was"
    return f" {_PAST_OF_BE.get(be, be) if link is Link.PAST_OF_BE else be} "

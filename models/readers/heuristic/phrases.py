"""Small tests on the words of a clause: what may follow a verb, what may open a noun phrase."""

from __future__ import annotations

from collections.abc import Sequence

from factmill.models.readers.heuristic.lexicon import (
    ARTICLES,
    AUXILIARIES,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    Word,
    is_adverb,
    is_naming,
    is_participle,
    is_preposition,
)

# Words that do not begin a noun phrase.
NO_SUBJECT = SUBORDINATORS | frozenset("as both neither either there here not only".split())
_REFERS = frozenset(
    "he she it they him them its their theirs there this these those so "
    "both each one other others another same such".split()
)
_NOT_BEFORE_VERB = DETERMINERS | AUXILIARIES


def skip_adverbs(words: Sequence[Word], index: int) -> int:
    """The first index from `index` on whose word is not an adverb."""
    while index < len(words) and is_adverb(words[index]):
        index += 1
    return index


def opens_noun(word: Word) -> bool:
    """Whether a noun phrase may begin with the word."""
    return word.low not in NO_SUBJECT and (
        word.capital or word.low in DETERMINERS or word.low in PRONOUNS
    )


def has_object(words: Sequence[Word], verb: int) -> bool:
    """Whether the words after a verb must be its object: "founded the town", "won Oscars"."""
    if words[verb].comma or verb + 1 >= len(words):
        return False
    following = words[verb + 1]
    return following.low in DETERMINERS or not (
        following.low in PREPOSITIONS
        or following.low in SUBORDINATORS
        or following.low in {"and", "or", "but"}
        or is_adverb(following)
        or following.low[0].isdigit()
    )


def takes_noun(words: Sequence[Word], verb: int) -> bool:
    """Whether a noun follows a possible verb: "founded the town", "serves as a port"; not "the
    abandoned house" or "his works".
    """
    if words[verb].comma or verb + 1 >= len(words):
        return False
    following = words[verb + 1]
    if is_participle(words[verb]):
        return following.low in DETERMINERS or (following.capital and not is_naming(words[verb]))
    return following.low not in AUXILIARIES


def is_present_with_object(words: Sequence[Word], index: int) -> bool:
    """Whether a word in -s is a verb, because an article follows: "meets the captain"."""
    word = words[index]
    return (
        word.low.endswith("s")
        and len(word.low) > 3
        and not word.low.endswith(("ss", "us", "is", "'s", "’s"))
        and word.free
        and not (word.capital or word.comma)
        and index + 1 < len(words)
        and words[index + 1].low in ARTICLES
        and not words[index + 1].capital
        and words[index - 1].low not in _NOT_BEFORE_VERB
        and not is_preposition(words[index - 1])
    )


def refers(part: Sequence[Word], own: str = "") -> bool:
    """Whether a word refers to something; `own` is the one that can only mean the subject."""
    for word, behind in zip(part, (*part[1:], None), strict=False):
        low = behind.low if behind else ""
        if (word.low == "one" and low == "of") or (word.low == "such" and low == "as"):
            continue
        if word.free and word.low != own and word.low in _REFERS:
            return True
    return False

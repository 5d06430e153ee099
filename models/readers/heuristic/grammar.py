"""The subject of a clause and the verb that carries it: found by word lists, not parsed.

Everything here says "not found" rather than guess, because a clause that is not understood is
stated as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from factmill.models.readers.heuristic.lexicon import (
    AUXILIARIES,
    BE,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    Word,
    closed,
    is_adverb,
    is_intransitive,
    is_naming,
    is_participle,
    is_past_only,
    is_preposition,
    tense_of,
    words_of,
)
from factmill.models.readers.heuristic.wording import Span

_NO_SUBJECT = SUBORDINATORS | frozenset("as both neither either there here not only".split())
# They may open a clause before its subject.
FRONTED = PREPOSITIONS | frozenset(
    "despite later then today now soon eventually originally initially finally also however"
    " afterwards subsequently currently additionally furthermore moreover meanwhile like unlike"
    " according following".split()
)
_ARTICLES = frozenset("the a an his her its their".split())
_DATE_WORDS = frozenset(
    "january february march april may june july august september october november december"
    " bc ad bce ce".split()
)
_NOT_BEFORE_VERB = DETERMINERS | AUXILIARIES
MAX_SUBJECT_WORDS = 10
MAX_FRONTED_WORDS = 12


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause with its subject, `words[first:last]`, and its verb, `words[verb]`."""

    text: str
    words: tuple[Word, ...]
    first: int
    last: int
    verb: int
    sure: bool  # the verb can be nothing else

    @property
    def subject(self) -> Span:
        return self.words[self.first].start, closed(self.text, self.words[self.last - 1].end)

    @property
    def past(self) -> bool:
        return tense_of(self.words[self.verb]) == "past"

    @property
    def passive(self) -> bool:
        """Whether the verb is a form of "be" with a participle."""
        return self.words[self.verb].low in BE and self._participle()

    @property
    def perfect(self) -> bool:
        """Whether the verb is a form of "have" with a participle."""
        return self.words[self.verb].low in {"has", "have", "had"} and self._participle()

    def _participle(self) -> bool:
        place = skip_adverbs(self.words, self.verb + 1)
        return place < len(self.words) and (
            is_participle(self.words[place]) or self.words[place].low == "been"
        )


def parse_if(hint: re.Pattern[str], text: str) -> Clause | None:
    """The clause of a text with a hint of what a rule looks for. Most texts have none, and a look
    for it costs far less than parsing."""
    return parse(text) if hint.search(text) else None


@lru_cache(maxsize=32)
def parse(text: str) -> Clause | None:
    """The clause, if its subject and verb are plain to see."""
    words = words_of(text)
    if len(words) < 3:
        return None
    first = _subject_start(words)
    if first is None:
        return None
    verb, sure = _verb(words, first)
    if verb is None or any(mark in text[: words[verb].start] for mark in '"“;'):
        return None
    last = verb
    while last > first + 1 and (is_adverb(words[last - 1]) or not words[last - 1].free):
        last -= 1
    return Clause(text, words, first, last, verb, sure)


def skip_adverbs(words: Sequence[Word], place: int) -> int:
    """The next place whose word is no adverb."""
    while place < len(words) and is_adverb(words[place]):
        place += 1
    return place


def opens_noun(word: Word) -> bool:
    """Whether a noun phrase may begin with the word."""
    return word.low not in _NO_SUBJECT and (
        word.capital or word.low in DETERMINERS or word.low in PRONOUNS
    )


def has_object(words: Sequence[Word], place: int) -> bool:
    """Whether what follows a verb can only be its object: "founded the town", "won Oscars"."""
    if words[place].comma or place + 1 >= len(words):
        return False
    following = words[place + 1]
    return following.low in DETERMINERS or not (
        following.low in PREPOSITIONS
        or following.low in SUBORDINATORS
        or following.low in {"and", "or", "but"}
        or is_adverb(following)
        or following.low[0].isdigit()
    )


def is_present_with_object(words: Sequence[Word], place: int) -> bool:
    """Whether a word in -s is a verb because an article follows: "meets the captain"."""
    word = words[place]
    return (
        word.low.endswith("s")
        and len(word.low) > 3
        and not word.low.endswith(("ss", "us", "is", "'s", "’s"))
        and word.free
        and not (word.capital or word.comma)
        and place + 1 < len(words)
        and words[place + 1].low in _ARTICLES
        and not words[place + 1].capital
        and words[place - 1].low not in _NOT_BEFORE_VERB
        and not is_preposition(words[place - 1])
    )


def _subject_start(words: Sequence[Word]) -> int | None:
    """The place of the subject's first word: the clause's, or the one behind "In 1990,"."""
    if words[0].low in _NO_SUBJECT or _opens_participle(words):
        return None
    if words[0].low not in FRONTED:
        return 0 if opens_noun(words[0]) or words[0].low[0].isdigit() else None
    start = _behind_front(words)
    if start >= len(words) or not opens_noun(words[start]):
        return None
    return start


def _behind_front(words: Sequence[Word]) -> int:
    """The place behind "In 1990" or "In the town,"; that of no word where it cannot be told."""
    commas = [i for i, word in enumerate(words[:MAX_FRONTED_WORDS]) if word.comma and word.free]
    if not commas:
        start = 1
        while start < len(words) and (
            words[start].low.isdigit() or words[start].low in _DATE_WORDS
        ):
            start += 1
        # "In 1990 she moved" may be told apart, "In Oslo she moved" may not.
        return start if start > 1 else len(words)
    first = commas[0]
    behind = words[first + 1 : first + 2]
    if words[first].low.isdigit() and behind and behind[0].low.isdigit():
        return commas[1] + 1 if len(commas) > 1 else len(words)  # "On May 17, 1814, Norway"
    return first + 1


def _opens_participle(words: Sequence[Word]) -> bool:
    """ "Born in Oslo, she", "Loosely based on", "Directing films"; "Fred was" is none."""
    low = words[0].low
    if low.endswith("ing"):
        return words[1].low not in AUXILIARIES
    if low.endswith("ly") and words[1].low.endswith("ed"):
        return True
    lowered = words[0]._replace(capital=False)
    return is_participle(lowered) and (
        is_preposition(words[1]) or words[1].low == "and" or words[1].low[0].isdigit()
    )


def _verb(words: Sequence[Word], first: int) -> tuple[int | None, bool]:
    """The place of the verb, and whether it is one for certain."""
    if words[first].low in PRONOUNS:
        behind = skip_adverbs(words, first + 1)
        return (behind if behind < len(words) and tense_of(words[behind]) else None), True
    doubtful: int | None = None
    named = words[first].low not in DETERMINERS
    for place in range(first + 1, min(len(words), first + 1 + MAX_SUBJECT_WORDS)):
        word = words[place]
        if not word.free:
            continue  # "Marie Lund (born 1867) lived"
        if word.low == "but" or (word.low in SUBORDINATORS and not is_preposition(word)):
            return None, False
        before = words[place - 1]
        if word.low in _ARTICLES and not (is_preposition(before) or before.low in {"and", "or"}):
            return None, False  # "The two write a letter": a verb that is not known
        if before.low == "to":
            return None, False
        if named and (word.low in AUXILIARIES or is_past_only(word)):
            return place, True
        if named and doubtful is None and is_present_with_object(words, place):
            return place, True
        if named and tense_of(word):
            if is_intransitive(word) or _takes_noun(words, place):
                return (place if doubtful is None else None), True
            if place + 1 == len(words):
                break
            doubtful = doubtful or place
        if word.comma:
            break
        named = named or not (is_adverb(word) or is_participle(word))
    return doubtful, False


def _takes_noun(words: Sequence[Word], place: int) -> bool:
    """ "founded the town", "serves as a port"; neither "the abandoned house" nor "his works"."""
    if words[place].comma or place + 1 >= len(words):
        return False
    following = words[place + 1]
    if is_participle(words[place]):
        return following.low in DETERMINERS or (following.capital and not is_naming(words[place]))
    return following.low not in AUXILIARIES

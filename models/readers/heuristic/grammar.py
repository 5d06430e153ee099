"""Finds the subject of a clause and its finite verb by words, without parsing.

All functions return "not found" instead of guessing, because a clause that is not understood is
stated unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from factmill.models.readers.heuristic.lexicon import (
    AUXILIARIES,
    BE,
    PREPOSITIONS,
    PRONOUNS,
    Word,
    closed,
    is_adverb,
    is_participle,
    is_preposition,
    tense_of,
    words_of,
)
from factmill.models.readers.heuristic.phrases import NO_SUBJECT, opens_noun, skip_adverbs
from factmill.models.readers.heuristic.verb_rules import find_verb
from factmill.models.text.span import Span

# Prepositions that may open a clause before its subject.
FRONTING_WORDS = PREPOSITIONS | frozenset(
    "despite later then today now soon eventually originally initially finally also however"
    " afterwards subsequently currently additionally furthermore moreover meanwhile like unlike"
    " according following prior".split()
)
MONTHS = frozenset(
    "january february march april may june july august september october november december".split()
)
_DATE_WORDS = MONTHS | frozenset("bc ad bce ce".split())
_OPENING_ARTICLES = ("The ", "A ", "An ")
MAX_FRONTING_WORDS = 12


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
        start = self.words[self.first].start
        if self.text[start - 1 : start] in {'"', "“"}:
            start -= 1  # the title of a song
        return start, closed(self.text, self.words[self.last - 1].end)

    @property
    def subject_within(self) -> list[Span | str]:
        """The subject as written inside a sentence: "the tower", not "The tower"."""
        start, end = self.subject
        if not self.text.startswith(_OPENING_ARTICLES, start):
            return [(start, end)]
        return [self.text[start].lower(), (start + 1, end)]

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
        index = skip_adverbs(self.words, self.verb + 1)
        return index < len(self.words) and (
            is_participle(self.words[index]) or self.words[index].low == "been"
        )


def parse_if(hint: re.Pattern[str], text: str) -> Clause | None:
    """The clause of a text that contains a rule's hint. Most texts do not, and looking for the hint
    costs far less than parsing.
    """
    return parse(text) if hint.search(text) else None


@lru_cache(maxsize=32)
def parse(text: str) -> Clause | None:
    """The clause, if its subject and verb are clear."""
    words = words_of(text)
    if len(words) < 3:
        return None
    first = _subject_start(words)
    if first is None:
        return None
    verb, sure = find_verb(words, first)
    if verb is None or ";" in text[: words[verb].start]:
        return None
    if not _quotes_closed(text[: words[verb].start]):
        return None
    last = verb
    quoted = not words[first].free
    while last > first + 1 and (is_adverb(words[last - 1]) or not (words[last - 1].free or quoted)):
        last -= 1
    return Clause(text, words, first, last, verb, sure)


def _quotes_closed(before: str) -> bool:
    """Whether nothing is quoted before the verb, or only the subject: ""Yesterday" is"."""
    marks = sum(map(before.count, '"“”'))
    return marks == 0 or (marks == 2 and before[0] in '"“' and before.rstrip()[-1] in '"”')


def _subject_start(words: Sequence[Word]) -> int | None:
    """The index of the subject's first word: the first of the clause, or the one after "In
    1990,".
    """
    if _opens_participle(words) or (words[0].low in NO_SUBJECT and not _opens_with_time(words)):
        return None
    if words[0].low not in FRONTING_WORDS:
        return 0 if opens_noun(words[0]) or words[0].low[0].isdigit() else None
    start = _behind_front(words)
    if start >= len(words) or not opens_noun(words[start]):
        return None
    return start


def _opens_with_time(words: Sequence[Word]) -> bool:
    """ "After two seasons in Oslo,": a preposition, but no clause as in "After he left,"."""
    if words[0].low not in {"after", "before", "since", "until"}:
        return False
    comma = next((i for i, word in enumerate(words[:MAX_FRONTING_WORDS]) if word.comma), 0)
    front = words[1 : comma + 1]
    return bool(front) and not any(
        tense_of(word._replace(comma=False)) or word.low in PRONOUNS or word.low.endswith("ing")
        for word in front
    )


def _behind_front(words: Sequence[Word]) -> int:
    """The index after "In 1990" or "In the town,"; len(words) if unclear."""
    commas = [i for i, word in enumerate(words[:MAX_FRONTING_WORDS]) if word.comma and word.free]
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
    """ "Born in Oslo, she", "Loosely based on", "Directing films"; not "Fred was"."""
    low = words[0].low
    if low.endswith("ing"):
        return words[1].low not in AUXILIARIES
    if low.endswith("ly") and words[1].low.endswith("ed"):
        return True
    lowered = words[0]._replace(capital=False)
    return is_participle(lowered) and (
        is_preposition(words[1]) or words[1].low == "and" or words[1].low[0].isdigit()
    )

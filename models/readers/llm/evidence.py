"""Finds the sentences that support a fact, and the position of an answer."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from itertools import dropwhile, islice

from factmill.models.readers.llm.grounding import without_inflection
from factmill.models.readers.llm.tokens import Tokens
from factmill.models.text.function_words import FUNCTION_WORDS
from factmill.models.text.sentences import split_sentences
from factmill.models.text.span import Span

# The minimum share of a fact's content words in its evidence.
MIN_COVERED = 0.34
_MAX_SENTENCES = 3
_MAX_OCCURRENCES = 100
# Words of the question are near the answer if they are at most this many tokens from its sentence.
# The distance without any such word is greater than all others.
_NEAR_TOKENS = 12
_NONE_NEAR = 99
_ASK_FOR_NAMES = frozenset("when where which who whom whose".split())
_NEGATIONS = frozenset("not no never neither nor none without except cannot unlike hardly".split())


def content(tokens: Tokens) -> set[str]:
    """The stems of the content words."""
    return {without_inflection(key) for key in tokens.keys if key not in FUNCTION_WORDS}


class Passage:
    """A segment's text, split once into sentences and tokens for all its items."""

    def __init__(self, text: str) -> None:
        self.tokens = Tokens(text)
        self.spans = split_sentences(text)
        starts = self.tokens.starts
        self._bounds = [
            (bisect_left(starts, start), bisect_left(starts, end)) for start, end in self.spans
        ]
        self._firsts = [first for first, _ in self._bounds]
        self._stems = [
            {without_inflection(key) for key in self.tokens.keys[first:last]}
            for first, last in self._bounds
        ]

    def evidence(self, wanted: Set[str], elsewhere: Set[str]) -> Span | None:
        """The span of the sentence, or neighbouring sentences, with most of the wanted stems; None
        if next to none occur. `elsewhere`: stems that title and heading supply.
        """
        if not self.spans or not wanted:
            return None
        # Words of the title are in many sentences, but not in those that say "it".
        told = wanted - elsewhere
        covered = [len(wanted & stems) + len(told & stems) for stems in self._stems]
        best = max(range(len(covered)), key=covered.__getitem__)
        first = last = best
        found = wanted & self._stems[best]
        while last - first + 1 < _MAX_SENTENCES:
            neighbours = [i for i in (first - 1, last + 1) if 0 <= i < len(self.spans)]
            gains = [(len((told & self._stems[i]) - found), -i) for i in neighbours]
            gain, negated = max(gains, default=(0, 0))
            if gain < 2:  # one word more is more often chance than evidence
                break
            first, last = min(first, -negated), max(last, -negated)
            found |= wanted & self._stems[-negated]
        if not found or len(found) < MIN_COVERED * len(wanted - elsewhere):
            return None
        return self.spans[first][0], self.spans[last][1]

    def answer(self, answer: Sequence[str], question: Tokens) -> Span | None:
        """The position of the answer's tokens; of several occurrences, the one nearest to the
        question's words.
        """
        size = len(answer)
        indices = list(islice(self.tokens.find(answer), _MAX_OCCURRENCES))
        if not indices:
            return None
        asked = content(question)
        best = max(indices, key=lambda index: (self._asked_near(index, asked), -index))
        return self.tokens.starts[best], self.tokens.ends[best + size - 1]

    def _asked_near(self, index: int, asked: Set[str]) -> tuple[int, int]:
        """How much of the question is in the sentence, and how near to the token."""
        sentence = bisect_right(self._firsts, index) - 1
        if sentence < 0:
            return 0, 0
        first, last = self._bounds[sentence]
        keys = self.tokens.keys
        found = len(asked & self._stems[sentence])
        near = range(max(first, index - _NEAR_TOKENS), min(last, index + _NEAR_TOKENS))
        distances = (abs(at - index) for at in near if without_inflection(keys[at]) in asked)
        distance = min(distances, default=_NONE_NEAR)
        return found, -distance


def narrowed(answer: Tokens, question: Tokens) -> Iterator[list[str]]:
    """The tokens of an answer without what it repeats of the question: of "Who heads the museum?"
    and "Tom Hale heads the museum.", "Tom Hale". First with a whole name of which the question has
    a part ("Who was Ann Hale's father?"), then without it.
    """
    asked = content(question)
    keys = answer.keys
    first, last = 0, len(keys)
    while first < last and _adds_nothing(keys[first], asked):
        first += 1
    while last > first and _adds_nothing(keys[last - 1], asked):
        last -= 1
    if first == last or _NEGATIONS.intersection(keys[:first] + keys[last:]):
        return
    start, end = first, last
    while start > 0 and answer.words[start - 1][0].isupper():
        start -= 1
    while end < len(keys) and answer.words[end][0].isupper():
        end += 1
    yield keys[start:end]
    if end - start > last - first:
        yield keys[first:last]
    named = _behind_verb(answer.words[first:last])
    if named and question.keys[:1] and question.keys[0] in _ASK_FOR_NAMES:
        yield keys[last - named : last]


def _behind_verb(words: Sequence[str]) -> int:
    """The number of words after a verb and its preposition, if they are a name, date or number: 2
    in "died in May 1901", if the question has "die".
    """
    if len(words) < 3 or not words[0].islower() or words[1] not in FUNCTION_WORDS - {"of"}:
        return 0  # "workshop of Tom Hale" is a noun with its own
    rest = list(dropwhile(lambda word: word.lower() in FUNCTION_WORDS, words[1:]))
    return len(rest) if any(not word[0].islower() for word in rest) else 0


def _adds_nothing(key: str, asked: Set[str]) -> bool:
    return key == "s" or key in FUNCTION_WORDS or without_inflection(key) in asked


def restates(answer: Tokens, question: Tokens) -> bool:
    """Whether the answer is a sentence that repeats the question."""
    asked = content(question)
    shared = asked & content(answer)
    return len(shared) >= 2 and 2 * len(shared) >= len(asked)

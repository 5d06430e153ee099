"""The context of a statement in its segment, as features.

Prose makes statements; text alone on a short line is often a slogan or a label. The answer to a
question in a heading makes a statement as well. A statement that shares words with the text before
it continues the same subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from factmill.models.readers.heuristic.lexicon import Word, stem, words_of
from factmill.models.text.function_words import FUNCTION_WORDS

# The length of the context, in characters.
_BEFORE, _AFTER = 200, 100
_SHORT_LINE = 90
_ENDS = ".!?:"


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The text before and after a statement."""

    before: str
    after: str

    @classmethod
    def of(cls, segment: str, start: int, end: int) -> Neighbours:
        """The context of `segment[start:end]`."""
        return cls(segment[max(0, start - _BEFORE) : start], segment[end : end + _AFTER])


def neighbour_features(
    text: str, words: Sequence[Word], beside: Neighbours
) -> Iterator[tuple[str, float]]:
    """Features of a statement, given its words and its context."""
    line = beside.before.rpartition("\n")[2].strip()
    rest = beside.after.partition("\n")[0].strip()
    before = beside.before.rstrip()
    yield "begins a segment", not before
    yield "begins a line", not line
    yield "short line", not line and not rest and len(text) < _SHORT_LINE
    yield "line length", log(1 + len(line) + len(text) + len(rest))
    yield "behind a question", before.endswith("?")
    yield "behind a colon", before.endswith(":")
    yield "behind an open line", before != "" and before[-1] not in _ENDS
    yield "share said before", _share_said(words, before)


def _share_said(words: Sequence[Word], before: str) -> float:
    said = {stem(word.low) for word in words_of(before)}
    own = [stem(word.low) for word in words if word.low not in FUNCTION_WORDS]
    return sum(word in said for word in own) / len(own) if own else 0.0

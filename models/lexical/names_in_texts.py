"""Finds names in texts: phrases whose hashes are those of names.

Of overlapping names, the longest counts, then the first. Knows nothing of pages.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from factmill.models.arrays import Integers
from factmill.models.lexical.bm25 import Hashes, phrase_hashes, word_hash, words

# The rest of a longer text is not read, nor the last word before it, which may be cut.
_MAX_CHARACTERS = 4_000
# A title of more pages is not a name: "Contact", "News".
_MAX_PAGES = 8
# The size of the prefilter by the last bits of names, in bytes.
_ENDINGS = np.uint64(1 << 21)
# A separator, so that no phrase extends from one text into the next.
_BREAK = 0x5851F42D4C957F2D

_NO_NUMBERS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class NamesInTexts:
    """Names in texts, each once per text: longest first, then the first. `texts` are the numbers of
    the texts, `names` those of the names; `starts` and `lengths` locate each name in `words`, which
    are hashes.
    """

    texts: Integers
    names: Integers
    starts: Integers
    lengths: Integers
    words: Hashes


def distinct_names(of_pages: Hashes) -> Hashes:
    """The distinct names of pages, ascending, without those of too many pages and without 0, which
    stands for none.
    """
    names, pages = np.unique(of_pages, return_counts=True)
    found: Hashes = names[(pages <= _MAX_PAGES) & (names != 0)]
    return found


class NameSet:
    """Names to find in texts, by their hashes."""

    def __init__(self, hashes: Hashes) -> None:
        """`hashes` ascend."""
        self.hashes = hashes
        # Whether any name ends in these bits: one lookup excludes most phrases.
        self._endings = np.zeros(_ENDINGS, np.bool_)
        self._endings[hashes % _ENDINGS] = True

    def numbers(self, hashes: Hashes) -> Integers:
        """The number of each name; -1 for an unknown hash."""
        if not len(self.hashes):
            return np.full(len(hashes), -1, np.int64)
        near = self.hashes.searchsorted(hashes)
        return np.where(self.hashes.take(near, mode="clip") == hashes, near, -1)

    def in_texts(self, texts: Iterable[str]) -> NamesInTexts:
        """The names that occur in texts."""
        joined, text_starts = _joined(texts)
        hashes = np.array(joined, np.uint64)
        starts, lengths, names = self._phrases(hashes)
        of_text = np.searchsorted(text_starts, starts, side="right") - 1
        once = np.unique(of_text * len(self.hashes) + names, return_index=True)[1]
        once.sort()
        return NamesInTexts(of_text[once], names[once], starts[once], lengths[once], hashes)

    def _phrases(self, hashes: Hashes) -> tuple[Integers, Integers, Integers]:
        """Starts, lengths and names of the phrases that are names, longest first, then the first.
        None overlaps another.
        """
        if not len(self.hashes) or not len(hashes):
            return _NO_NUMBERS, _NO_NUMBERS, _NO_NUMBERS
        by_length = list(phrase_hashes(hashes))
        phrases = np.concatenate(by_length)
        likely = self._endings.take(phrases % _ENDINGS).nonzero()[0]
        # Sorted, because binary searches in random order would wait for memory.
        likely = likely[phrases.take(likely).argsort()]
        names = self.numbers(phrases.take(likely))
        named = names >= 0
        likely, names = likely[named], names[named]
        # Phrases of one word come first, then those of two.
        offsets = np.cumsum([0, *map(len, by_length)])
        lengths = offsets.searchsorted(likely, side="right")
        starts = likely - offsets[lengths - 1]
        order = np.lexsort((likely, -lengths))
        order = order[_apart(starts[order], lengths[order], len(hashes))]
        return starts[order], lengths[order], names[order]


def _apart(starts: Integers, lengths: Integers, words_in_all: int) -> list[int]:
    """Of phrases sorted from longest to shortest, those that overlap no earlier one."""
    taken, kept = bytearray(words_in_all), []
    ends = (starts + lengths).tolist()
    for number, (start, end) in enumerate(zip(starts.tolist(), ends, strict=True)):
        # One that is not longer has an end of its own in what it overlaps.
        if not taken[start] and not taken[end - 1]:
            taken[start:end] = b"\1" * (end - start)
            kept.append(number)
    return kept


def _joined(texts: Iterable[str]) -> tuple[list[int], list[int]]:
    """The word hashes of consecutive texts, with a separator after each, and the start of each
    text.
    """
    joined: list[int] = []
    starts = []
    for text in texts:
        starts.append(len(joined))
        joined.extend(map(word_hash, words(text[:_MAX_CHARACTERS])))
        if len(text) > _MAX_CHARACTERS and joined:
            joined.pop()
        joined.append(_BREAK)
    return joined, starts

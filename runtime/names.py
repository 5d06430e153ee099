"""Pages that a text names: their titles stand in it as phrases.

The names of all shards are read and sorted at the first question. Knows nothing of codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.lexical import MAX_PHRASE, PHRASE_MULTIPLIER, Floats, Hashes, word_hashes
from runtime.keys import Keys, key_of
from runtime.ranking import ranges

Counts = npt.NDArray[np.int32]
_NO_HASHES, _NO_KEYS = np.empty(0, np.uint64), np.empty(0, np.int64)

# Of a longer text the rest is not read.
_MAX_CHARACTERS = 4_000
# A name of more pages is none: "Contact", "News".
_MAX_PAGES = 8
# Of a page that is named so many segments are looked at, its first: they say what it is about.
_MAX_SEGMENTS = 16


@dataclass(frozen=True, slots=True)
class Name:
    """A name that a text has: the hashes of its words, and the pages of that name, each by the key
    of its first segment and its number of segments."""

    words: frozenset[int]
    first: Keys
    counts: Keys


@dataclass(frozen=True, slots=True)
class Named:
    """Pages that a text names, sorted, each by the key of its first segment and its number of
    segments; `nats` is what the words of its name tell (`runtime.fusion.lifted`)."""

    first: Keys
    counts: Keys
    nats: Floats

    @classmethod
    def of_names(cls, names: Sequence[tuple[Name, float]]) -> Named:
        """The pages of names with what these tell."""
        first = np.concatenate([_NO_KEYS, *(name.first for name, _ in names)])
        counts = np.concatenate([_NO_KEYS, *(name.counts for name, _ in names)])
        nats = np.repeat(
            np.array([value for _, value in names], np.float32),
            [len(name.first) for name, _ in names],
        )
        order = np.argsort(first)
        return cls(first[order], counts[order], nats[order])

    @property
    def segments(self) -> Keys:
        """Keys of the segments to look at, sorted."""
        return ranges(self.first, np.minimum(self.counts, _MAX_SEGMENTS))

    def of(self, segments: Keys) -> Floats:
        """The nats of the pages that segments are of; 0 for pages that are not named."""
        if not len(self.first):
            return np.zeros(len(segments), np.float32)
        place = np.maximum(np.searchsorted(self.first, segments, side="right") - 1, 0)
        beyond = segments - self.first[place]
        inside = (beyond >= 0) & (beyond < self.counts[place])
        found: Floats = np.where(inside, self.nats[place], np.float32(0))
        return found


class NameIndex:
    """The names of the pages of all shards, in memory."""

    def __init__(self, shards: Sequence[tuple[Hashes, Counts, int]]) -> None:
        """Of each shard the name of each page, 0 for none, how many segments each page has, and how
        many segments there are. Pages of segments that are not there have no name."""
        names, first, counts = [_NO_HASHES], [_NO_KEYS], [_NO_KEYS]
        for number, (hashes, sizes, segments) in enumerate(shards):
            stops = np.cumsum(sizes, dtype=np.int64)
            kept = (hashes != 0) & (sizes > 0) & (stops <= segments)
            # After a count below 0 nothing is where it was.
            kept &= np.cumsum(sizes < 0) == 0
            names.append(hashes[kept])
            counts.append(sizes[kept].astype(np.int64))
            first.append(key_of(number, stops[kept] - counts[-1]))
        hashes = np.concatenate(names)
        _, name, pages = np.unique(hashes, return_inverse=True, return_counts=True)
        order = np.argsort(hashes, kind="stable")
        order = order[pages[name[order]] <= _MAX_PAGES]
        self._names: Hashes = hashes[order]
        self._first: Keys = np.concatenate(first)[order]
        self._counts: Keys = np.concatenate(counts)[order]
        # As many bits as make about one name each.
        bits = max(1, len(order)).bit_length()
        self._shift = np.uint64(64 - bits)
        self._heads = np.searchsorted(
            self._names >> self._shift, np.arange((1 << bits) + 1).astype(np.uint64)
        )

    def find(self, text: str) -> list[Name]:
        """What a text names. Of names that overlap, the longest, then the first."""
        from runtime.lexical_kernels import find_phrases

        words = word_hashes(text[:_MAX_CHARACTERS])
        found = find_phrases(
            words, PHRASE_MULTIPLIER, MAX_PHRASE, self._names, self._heads, self._shift
        )
        names = {
            start: Name(
                frozenset(words[place : place + length].tolist()),
                self._first[start:stop],
                self._counts[start:stop],
            )
            for place, length, start, stop in found.tolist()
        }
        return list(names.values())

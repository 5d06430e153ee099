"""Pages that a text names: their titles stand in it as phrases.

The names of all shards are read and sorted at the first question. Knows nothing of codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factmill.models.lexical.bm25 import MAX_PHRASE, PHRASE_MULTIPLIER, Floats, Hashes, word_hashes
from factmill.runtime.search.keys import Keys, key_of
from factmill.runtime.search.ranking import ranges

Counts = npt.NDArray[np.int32]
_NO_HASHES, _NO_KEYS = np.empty(0, np.uint64), np.empty(0, np.int64)

# Of a longer text the rest is not read.
_MAX_CHARACTERS = 4_000
# A name of more pages is none: "Contact", "News".
_MAX_PAGES = 8
# Of a page that is named so many segments are looked at, its first: they say what it is about.
_MAX_SEGMENTS = 16


@dataclass(frozen=True, slots=True)
class Named:
    """Pages that a text names, sorted, each by the key of its first segment and its number of
    segments; `nats` is what the words of its name tell (`fusion.lifted`)."""

    first: Keys
    counts: Keys
    nats: Floats

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

    def named(
        self, text: str, asked: Hashes, columns: npt.NDArray[np.int64], sizes: Keys, segments: int
    ) -> Named:
        """What a text names with words that are not among the sorted ones asked for. Of names that
        overlap, the longest, then the first. `columns` and `sizes` are those of the words of
        `segments` segments in each shard (`factmill.runtime.lexical.scores`)."""
        from factmill.runtime.lexical.name_kernels import named_pages

        words = word_hashes(text[:_MAX_CHARACTERS])
        names = (self._names, self._heads, self._shift, self._first, self._counts)
        return Named(
            *named_pages(
                words, PHRASE_MULTIPLIER, MAX_PHRASE, *names, asked, columns, sizes, segments
            )
        )

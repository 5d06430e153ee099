"""Pages that a text names: their titles stand in it as phrases.

The names of all shards are read and sorted at the first question. Knows nothing of codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factmill.models.lexical.bm25 import Floats, Hashes, phrase_hashes, word_hashes
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.runtime.search.sharded import Numbers, offsets_of, ranges

# Of a longer text the rest is not read.
_MAX_CHARACTERS = 4_000
# A name of more pages is none: "Contact", "News".
_MAX_PAGES = 8
# Of a page that is named so many segments are looked at, its first: they say what it is about.
_MAX_SEGMENTS = 16

# How many endings of names are told apart, in a byte each.
_ENDINGS = np.uint64(1 << 21)

_NO_NUMBERS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class NamedPages:
    """Pages that a text names, ascending, each by the number of its first segment and by how many
    it has; `nats` is what the words of its name tell (`fusion.lifted`)."""

    first: Numbers
    counts: Numbers
    nats: Floats

    @property
    def segments(self) -> Numbers:
        """The segments to look at, ascending."""
        return ranges(self.first, np.minimum(self.counts, _MAX_SEGMENTS))

    def of(self, segments: Numbers) -> Floats:
        """The nats of the pages that segments are of; 0 for pages that are not named."""
        if not len(self.first):
            return np.zeros(len(segments), np.float32)
        near = np.maximum(np.searchsorted(self.first, segments, side="right") - 1, 0)
        beyond = segments - self.first[near]
        inside = (beyond >= 0) & (beyond < self.counts[near])
        found: Floats = np.where(inside, self.nats[near], np.float32(0))
        return found


_NONE = NamedPages(_NO_NUMBERS, _NO_NUMBERS, np.empty(0, np.float32))


class _Phrase(NamedTuple):
    """Words of a text, from `start` on, that are the names from `first_name` to `last_name`."""

    start: int
    words: int
    first_name: int
    last_name: int


class PageNames:
    """The names of the pages of all shards, sorted, in memory."""

    def __init__(self, shards: Sequence[LexicalShard]) -> None:
        """Pages of segments that are not there have no name."""
        names, first, counts = [np.empty(0, np.uint64)], [_NO_NUMBERS], [_NO_NUMBERS]
        offset = 0
        for shard in shards:
            ends = np.cumsum(shard.page_segments, dtype=np.int64)
            kept = (shard.page_names != 0) & (shard.page_segments > 0) & (ends <= len(shard))
            # After a count below 0 nothing is where it was.
            kept &= np.cumsum(shard.page_segments < 0) == 0
            names.append(shard.page_names[kept])
            counts.append(shard.page_segments[kept].astype(np.int64))
            first.append(offset + ends[kept] - counts[-1])
            offset += len(shard)
        hashes = np.concatenate(names)
        _, name, pages = np.unique(hashes, return_inverse=True, return_counts=True)
        order = np.argsort(hashes, kind="stable")
        order = order[pages[name[order]] <= _MAX_PAGES]
        self._names: Hashes = hashes[order]
        self._first: Numbers = np.concatenate(first)[order]
        self._counts: Numbers = np.concatenate(counts)[order]
        # Whether any name ends in these bits: most phrases are told from all names by one look.
        self._endings = np.zeros(_ENDINGS, np.bool_)
        self._endings[self._names % _ENDINGS] = True

    def named(self, text: str, asked: Hashes, idf_of: Callable[[Hashes], Floats]) -> NamedPages:
        """The pages that a text names with words that are not `asked` for. Of names that overlap,
        the longest, then the first. `idf_of` gives the idf of words by their ascending hashes."""
        hashes = word_hashes(text[:_MAX_CHARACTERS])
        # Of a name that stands in the text twice, the first.
        phrases = {phrase.first_name: phrase for phrase in reversed(list(self._phrases(hashes)))}
        in_order, in_query = hashes.tolist(), set(asked.tolist())
        news = {
            name: words
            for name, (start, count, _, _) in phrases.items()
            if (words := set(in_order[start : start + count]) - in_query)
        }
        if not news:
            return _NONE
        told = sorted(set().union(*news.values()))
        idf = dict(zip(told, idf_of(np.array(told, np.uint64)).tolist(), strict=True))
        nats = [sum(idf[word] for word in words) for words in news.values()]
        named = [np.arange(name, phrases[name].last_name) for name in news]
        pages = np.concatenate(named)
        order = np.argsort(self._first[pages])
        pages = pages[order]
        of_page = np.repeat(np.array(nats, np.float32), [len(each) for each in named])
        return NamedPages(self._first[pages], self._counts[pages], of_page[order])

    def _phrases(self, hashes: Hashes) -> Iterator[_Phrase]:
        """The phrases that are names. Of those that overlap the longest, then the first."""
        if not len(self._names) or not len(hashes):
            return
        by_length = list(phrase_hashes(hashes))
        phrases = np.concatenate(by_length)
        likely = self._endings.take(phrases % _ENDINGS).nonzero()[0]
        wanted = phrases.take(likely)
        near = self._names.searchsorted(wanted)
        beyond = self._names.searchsorted(wanted, side="right")
        named = (near < beyond).nonzero()[0]
        likely, near, beyond = likely[named], near[named], beyond[named]
        # Phrases of one word come first, then those of two.
        offsets = offsets_of(list(map(len, by_length)))
        lengths = offsets.searchsorted(likely, side="right")
        found = np.stack([likely - offsets[lengths - 1], lengths, near, beyond])
        found = found[:, (-lengths).argsort(kind="stable")]
        taken: set[int] = set()
        for start, words, first_name, last_name in found.T.tolist():
            if taken.isdisjoint(range(start, start + words)):
                taken.update(range(start, start + words))
                yield _Phrase(start, words, first_name, last_name)

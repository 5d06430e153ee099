"""Pages that texts name: their titles stand in them as phrases.

The names of all shards are read and sorted at the first question. Knows nothing of codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factmill.models.lexical.bm25 import Floats, Hashes, phrase_hashes, word_hash, words
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.runtime.search.sharded import (
    Numbers,
    best_positions,
    distinct,
    offsets_of,
    ranges,
)

# Of a longer text the rest is not read.
_MAX_CHARACTERS = 4_000
# A name of more pages is none: "Contact", "News".
_MAX_PAGES = 8
# Of the names in texts so many are followed, the rarest.
_MAX_NAMES = 24
# Of a page that is named so many segments are looked at, its first: they say what it is about.
_MAX_SEGMENTS = 4

# How many endings of names are told apart, in a byte each.
_ENDINGS = np.uint64(1 << 21)

# No word of a text: no phrase goes on from one text to the next.
_BREAK = 0x5851F42D4C957F2D

_NO_NUMBERS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class NamedPages:
    """Pages that texts name, an entry for each page of each text: the number of the text, that of
    the page's first segment, how many segments it has, and what the words of its name tell in nats.
    `all_nats` is what all these words tell together."""

    texts: Numbers
    first: Numbers
    counts: Numbers
    nats: Floats
    all_nats: float

    @property
    def segments(self) -> Numbers:
        """The segments to look at, ascending."""
        return distinct(ranges(self.first, np.minimum(self.counts, _MAX_SEGMENTS)))


_NONE = NamedPages(_NO_NUMBERS, _NO_NUMBERS, _NO_NUMBERS, np.empty(0, np.float32), 0.0)


class _Phrases(NamedTuple):
    """Words of texts, `lengths` of them from `starts` on, that are the names from `first_names` to
    before `last_names`. Arrays of shape (phrases,)."""

    starts: Numbers
    lengths: Numbers
    first_names: Numbers
    last_names: Numbers


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

    def named(
        self, texts: Iterable[str], asked: Hashes, idf_of: Callable[[Hashes], Floats]
    ) -> NamedPages:
        """The pages that each text names with words that are not `asked` for. Of names that
        overlap, the longest, then the first; of many, the rarest. `idf_of` gives the idf of words
        by their ascending hashes."""
        joined, starts = _joined(texts)
        hashes = np.array(joined, np.uint64)
        phrases = self._phrases(hashes)
        text_of = np.searchsorted(starts, phrases.starts, side="right") - 1
        # Of a name that stands in a text twice, the first.
        once = np.unique(text_of * len(self._names) + phrases.first_names, return_index=True)[1]
        once.sort()
        of_words = ranges(phrases.starts[once], phrases.lengths[once])
        nats, all_nats = _told(
            hashes[of_words], np.arange(len(once)).repeat(phrases.lengths[once]), asked, idf_of
        )
        has_news = (nats > 0).nonzero()[0]
        kept = has_news[best_positions(nats[has_news], _MAX_NAMES)]
        if not len(kept):
            return _NONE
        named = once[kept]
        sizes = phrases.last_names[named] - phrases.first_names[named]
        pages = ranges(phrases.first_names[named], sizes)
        return NamedPages(
            np.repeat(text_of[named], sizes),
            self._first[pages],
            self._counts[pages],
            np.repeat(nats[kept], sizes),
            all_nats,
        )

    def _phrases(self, hashes: Hashes) -> _Phrases:
        """The phrases that are names, the longest first, then the first. None overlaps another."""
        if not len(self._names) or not len(hashes):
            return _Phrases(_NO_NUMBERS, _NO_NUMBERS, _NO_NUMBERS, _NO_NUMBERS)
        by_length = list(phrase_hashes(hashes))
        phrases = np.concatenate(by_length)
        likely = self._endings.take(phrases % _ENDINGS).nonzero()[0]
        # In order, because a search among so many names waits for memory.
        likely = likely[phrases.take(likely).argsort()]
        wanted = phrases.take(likely)
        near = self._names.searchsorted(wanted)
        named = self._names.take(near, mode="clip") == wanted
        likely, near = likely[named], near[named]
        beyond = self._names.searchsorted(wanted[named], side="right")
        # Phrases of one word come first, then those of two.
        offsets = offsets_of(list(map(len, by_length)))
        lengths = offsets.searchsorted(likely, side="right")
        starts = likely - offsets[lengths - 1]
        order = np.lexsort((likely, -lengths))
        order = order[_apart(starts[order], lengths[order], len(hashes))]
        return _Phrases(starts[order], lengths[order], near[order], beyond[order])


def _apart(starts: Numbers, lengths: Numbers, words_in_all: int) -> list[int]:
    """Of phrases, the longest first, those that overlap none before them."""
    taken, kept = bytearray(words_in_all), []
    ends = (starts + lengths).tolist()
    for number, (start, end) in enumerate(zip(starts.tolist(), ends, strict=True)):
        # One that is not longer has an end of its own in what it overlaps.
        if not taken[start] and not taken[end - 1]:
            taken[start:end] = b"\1" * (end - start)
            kept.append(number)
    return kept


def _told(
    words_of: Hashes, phrase_of: Numbers, asked: Hashes, idf_of: Callable[[Hashes], Floats]
) -> tuple[Floats, float]:
    """What each phrase tells in nats by its words that are not `asked` for, each counted once, and
    what all of these tell together. `phrase_of` are the numbers of the words' phrases, ascending,
    each at least once."""
    phrases = int(phrase_of[-1]) + 1 if len(phrase_of) else 0
    new = ~np.isin(words_of, asked)
    told, word = np.unique(words_of[new], return_inverse=True)
    if not len(told):
        return np.zeros(phrases, np.float32), 0.0
    phrase, word = np.divmod(distinct(phrase_of[new] * len(told) + word), len(told))
    idf = idf_of(told)
    nats = np.bincount(phrase, idf[word], phrases).astype(np.float32)
    return nats, float(idf.sum(dtype=np.float64))


def _joined(texts: Iterable[str]) -> tuple[list[int], list[int]]:
    """The hashes of the words of texts in order, with a break behind each, and where each text
    begins."""
    joined: list[int] = []
    starts = []
    for text in texts:
        starts.append(len(joined))
        joined.extend(map(word_hash, words(text[:_MAX_CHARACTERS])))
        joined.append(_BREAK)
    return joined, starts

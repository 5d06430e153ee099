"""Pages that texts name: their titles occur in the texts as phrases.

The names of all shards are read and sorted on first use. Knows nothing of codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from factmill.models.arrays import Floats, Integers, SmallIntegers
from factmill.models.lexical.bm25 import Hashes
from factmill.models.lexical.names_in_texts import NameSet, distinct_names
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.runtime.search.sharded import are_among, best_positions, distinct, ranges

# At most this many names in texts are followed, rarest first.
_MAX_NAMES = 24
# The number of first segments of a named page to look at: they say what it is about.
_MAX_SEGMENTS = 4

_NO_NUMBERS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class NamedPages:
    """Pages named by texts, one entry for each page and text: the number of the text, the number of
    the page's first segment, its number of segments, and the information of its name in nats.
    `all_nats` is the information of all these words together.
    """

    texts: Integers
    first: Integers
    counts: Integers
    nats: Floats
    all_nats: float

    @property
    def segments(self) -> Integers:
        """The segments to look at, ascending."""
        return distinct(ranges(self.first, np.minimum(self.counts, _MAX_SEGMENTS)))


_NONE = NamedPages(_NO_NUMBERS, _NO_NUMBERS, _NO_NUMBERS, np.empty(0, np.float32), 0.0)


class PageNames:
    """The names of the pages of all shards, sorted, in memory."""

    def __init__(self, shards: Sequence[LexicalShard]) -> None:
        """Pages without valid segments get no name."""
        names, first, counts = [np.empty(0, np.uint64)], [_NO_NUMBERS], [_NO_NUMBERS]
        offset = 0
        for shard in shards:
            ends = np.cumsum(shard.page_segments, dtype=np.int64)
            kept = (shard.page_names != 0) & (shard.page_segments > 0) & (ends <= len(shard))
            # A negative count would shift everything after it.
            kept &= np.cumsum(shard.page_segments < 0) == 0
            names.append(shard.page_names[kept])
            counts.append(shard.page_segments[kept].astype(np.int64))
            first.append(offset + ends[kept] - counts[-1])
            offset += len(shard)
        hashes = np.concatenate(names)
        self._names = NameSet(distinct_names(hashes))
        of_pages = self._names.numbers(hashes)
        order = np.argsort(of_pages, kind="stable")
        order = order[np.count_nonzero(of_pages < 0) :]
        self._first: Integers = np.concatenate(first)[order]
        self._counts: Integers = np.concatenate(counts)[order]
        # The start of each name's pages, and the end of the last one's.
        self._pages: Integers = of_pages[order].searchsorted(np.arange(len(self._names.hashes) + 1))

    def numbers(self, names: Hashes) -> Integers:
        """The number of each name; -1 for an unknown hash."""
        return self._names.numbers(names)

    def named(
        self, texts: Iterable[str], asked: Hashes, idf_of: Callable[[Hashes], Floats]
    ) -> NamedPages:
        """The pages that each text names with words that are not in `asked`. `idf_of` maps
        ascending word hashes to idf.
        """
        found = self._names.in_texts(texts)
        if not len(found.names):
            return _NONE
        words = found.words[ranges(found.starts, found.lengths)]
        phrases = np.arange(len(found.names)).repeat(found.lengths)
        nats, all_nats = _told(words, phrases, asked, idf_of)
        return self.of_names(found.texts, found.names, nats, all_nats)

    def of_names(
        self, texts: Integers, names: Integers | SmallIntegers, nats: Floats, all_nats: float
    ) -> NamedPages:
        """The pages named by texts, given the names' numbers in each text and the information of
        each name; only the rarest of many names.
        """
        has_news = ((nats > 0) & (names >= 0)).nonzero()[0]
        kept = has_news[best_positions(nats[has_news], _MAX_NAMES)]
        if not len(kept):
            return _NONE
        first = self._pages[names[kept]]
        sizes = self._pages[names[kept] + 1] - first
        pages = ranges(first, sizes)
        return NamedPages(
            texts[kept].repeat(sizes),
            self._first[pages],
            self._counts[pages],
            nats[kept].repeat(sizes),
            all_nats,
        )


def _told(
    words_of: Hashes, phrase_of: Integers, asked: Hashes, idf_of: Callable[[Hashes], Floats]
) -> tuple[Floats, float]:
    """The information in nats of each phrase's distinct words that are not in `asked`, and of all
    these words together. `phrase_of` are the phrases' numbers of the words, ascending, each at
    least once.
    """
    phrases = int(phrase_of[-1]) + 1 if len(phrase_of) else 0
    new = ~are_among(words_of, asked)
    told, word = np.unique(words_of[new], return_inverse=True)
    if not len(told):
        return np.zeros(phrases, np.float32), 0.0
    phrase, word = np.divmod(distinct(phrase_of[new] * len(told) + word), len(told))
    idf = idf_of(told)
    nats = np.bincount(phrase, idf[word], phrases).astype(np.float32)
    return nats, float(idf.sum(dtype=np.float64))

"""Segments found by the words they share with a query: BM25 over the mapped files of all shards.

    query -> words -> their postings in each shard -> the rarest words that may be read -> scores

Frequencies and the mean length are those of all shards together, summed when a query asks, so a
shard may be written anew without the others. Opening maps files and reads their ends. Knows nothing
of codes; `search/fusion.py` joins both kinds of scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, auto
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from factmill.models.lexical.bm25 import Floats, Hashes, length_norms, word_hash, words
from factmill.models.lexical.postings_deltas import unpack
from factmill.runtime.lexical.title_names import Named, NameIndex
from factmill.runtime.mapped.arrow_tables import MappedTable
from factmill.runtime.search.keys import Keys, position_of, shard_of
from factmill.schemas.errors import CorruptStore
from factmill.schemas.lexical_files import (
    GAPS,
    GAPS_SCHEMA,
    LENGTHS,
    LENGTHS_SCHEMA,
    MENTIONS,
    MENTIONS_SCHEMA,
    NAMES,
    NAMES_SCHEMA,
    WORDS,
    WORDS_SCHEMA,
)
from factmill.schemas.storage.paths import StoragePath

# Of a longer query the rest is not read; of more words the rarest count.
_MAX_CHARACTERS = 10_000
_MAX_WORDS = 256
# A longer segment counts as one of so many words.
_MAX_LENGTH = np.iinfo(np.uint16).max
# A query reads the postings of its rarest words, as far as these allow. More of them find no more
# (docs/log.md): what is in a tenth of all segments tells little.
_MIN_POSTINGS = 8192
_POSTINGS_SHARE = 0.125


class Column(IntEnum):
    """The mapped columns that compiled code reads, in the order of `LexicalShard.columns`."""

    HASHES = 0
    STOPS = auto()
    GAPS_STOPS = auto()
    GAPS = auto()
    MENTIONS = auto()


class Length(IntEnum):
    """What compiled code checks positions against, in the order of `LexicalShard.sizes`."""

    WORDS = 0
    POSTINGS = auto()
    GAPS = auto()


@dataclass(frozen=True)
class LexicalShard:
    """Words by hash with the ends of their postings and of these' gaps; gaps and mentions; words of
    each segment; pages by their names and numbers of segments."""

    hashes: Hashes
    stops: npt.NDArray[np.int32]
    gaps_stops: npt.NDArray[np.int32]
    gaps: npt.NDArray[np.uint8]
    mentions: npt.NDArray[np.uint8]
    lengths: npt.NDArray[np.int32]
    names: Hashes
    pages: npt.NDArray[np.int32]

    @classmethod
    def open(cls, folder: StoragePath) -> LexicalShard:
        """Raises CorruptStore when a file is missing, damaged or does not fit the others."""
        words = MappedTable(folder / WORDS, WORDS_SCHEMA)
        gaps = MappedTable(folder / GAPS, GAPS_SCHEMA)
        mentions = MappedTable(folder / MENTIONS, MENTIONS_SCHEMA)
        lengths = MappedTable(folder / LENGTHS, LENGTHS_SCHEMA)
        names = MappedTable(folder / NAMES, NAMES_SCHEMA)
        stops, gaps_stops = words.numbers("stop"), words.numbers("gaps_stop")
        for name, table, ends in ((MENTIONS, mentions, stops), (GAPS, gaps, gaps_stops)):
            if (int(ends[-1]) if len(ends) else 0) != len(table):
                raise CorruptStore(f"{folder / name}: not as long as {WORDS} says")
        return cls(
            words.values("hash", np.uint64),
            stops,
            gaps_stops,
            gaps.values("byte", np.uint8),
            mentions.values("mentions", np.uint8),
            lengths.numbers("words"),
            names.values("name", np.uint64),
            names.numbers("segments"),
        )

    def __len__(self) -> int:
        """Number of segments."""
        return len(self.lengths)

    @cached_property
    def segments(self) -> Keys:
        """The segment of each posting, read whole. Raises ValueError for gaps that are not those of
        as many postings."""
        return unpack(self.gaps, self.stops.astype(np.int64))

    def columns(self) -> list[npt.NDArray[Any]]:
        """What `Column` names."""
        return [self.hashes, self.stops, self.gaps_stops, self.gaps, self.mentions]

    def sizes(self) -> list[int]:
        """What `Length` names."""
        return [len(self.hashes), len(self.mentions), len(self.gaps)]


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """What a query gives every segment, shard after shard; `tops` are the best of each block of
    segments (`postings_kernels.BLOCK`), `starts` says where each shard's begin, and where
    the last one's end. `most` is what all of its words together could give."""

    all: Floats
    tops: Floats
    starts: Keys
    most: float

    def best(self, count: int) -> Keys:
        """Keys of the best segments that share a word, sorted; of equal ones the first count."""
        from factmill.runtime.lexical.postings_kernels import best_segments

        if count < 1:
            raise ValueError(f"count must be at least 1, not {count}")
        found: Keys = best_segments(self.all, self.tops, self.starts, count)
        return found

    def of(self, segments: Keys) -> Floats:
        """Scores of segments by their sorted keys; 0 for those that share no word."""
        found: Floats = self.all[self.starts[shard_of(segments)] + position_of(segments)]
        return found


class LexicalIndex:
    """The shards of a build. Searching is thread-safe."""

    def __init__(self, shards: Sequence[LexicalShard]) -> None:
        self._shards = shards
        self._starts: Keys = np.cumsum([0, *map(len, shards)])
        self._segments = int(self._starts[-1])
        # The arrays are kept, so that what their addresses name stays.
        self._columns = [shard.columns() for shard in shards]
        addresses = [[column.ctypes.data for column in columns] for columns in self._columns]
        self._addresses = np.array(addresses, np.int64).reshape(-1, len(Column))
        sizes = [shard.sizes() for shard in shards]
        self._sizes = np.array(sizes, np.int64).reshape(-1, len(Length))

    @cached_property
    def _lengths(self) -> tuple[npt.NDArray[np.uint16], Floats]:
        """Words of each segment, and the norms of all lengths. Half as many bytes as a norm for
        each segment would be: a query waits for them."""
        lengths = np.concatenate([np.empty(0, np.int32), *(s.lengths for s in self._shards)])
        np.clip(lengths, 0, _MAX_LENGTH, out=lengths)
        mean = int(lengths.sum(dtype=np.int64)) / max(self._segments, 1)
        norms = length_norms(np.arange(lengths.max(initial=0) + 1, dtype=np.int32), mean)
        return lengths.astype(np.uint16), norms

    @cached_property
    def _names(self) -> NameIndex:
        return NameIndex([(shard.names, shard.pages, len(shard)) for shard in self._shards])

    def scores(self, query: str) -> LexicalScores:
        """BM25 of the query's words, each counted once, with every segment. Of many words the
        rarest are read, as far as their postings are few enough; the rarest of all in any case."""
        from factmill.runtime.lexical.postings_kernels import score_words

        most_postings = max(_MIN_POSTINGS, int(_POSTINGS_SHARE * self._segments))
        scores, tops, most = score_words(
            self._addresses,
            self._sizes,
            self._starts,
            *self._lengths,
            _asked(query),
            _MAX_WORDS,
            most_postings,
        )
        return LexicalScores(scores, tops, self._starts, most)

    def named(self, text: str, query: str) -> Named:
        """The pages that a text names with words that the query lacks, and the idf of these."""
        return self._names.named(text, _asked(query), self._addresses, self._sizes, self._segments)

    def search(self, query: str, count: int) -> tuple[Keys, Floats]:
        """Keys and scores of the best segments, best first, then by key; none for a query without a
        known word."""
        scores = self.scores(query)
        keys = scores.best(count)
        values = scores.of(keys)
        order = np.lexsort((keys, -values))
        return keys[order], values[order]


# For a query's second stage, so a few for each thread will do.
@lru_cache(maxsize=64)
def _asked(query: str) -> Hashes:
    """Hashes of the words of a query, sorted, each once."""
    return np.array(sorted(set(map(word_hash, words(query[:_MAX_CHARACTERS])))), np.uint64)

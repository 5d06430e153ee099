"""The names that occur in segments, from the mapped files of all shards: no text is read.

Knows nothing of pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from factmill.models.arrays import Integers, SmallIntegers
from factmill.models.lexical.bm25 import Hashes
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.runtime.mapped.arrow_tables import MappedTable
from factmill.runtime.search.sharded import offsets_of, ranges
from factmill.schemas.errors import CorruptStore
from factmill.schemas.link_files import (
    LINK_ENDS,
    LINK_ENDS_SCHEMA,
    LINK_NAMES,
    LINK_NAMES_SCHEMA,
    LINK_WORDS,
    LINK_WORDS_SCHEMA,
    LINKS,
    LINKS_SCHEMA,
)
from factmill.schemas.storage.paths import StoragePath

_NO_INTEGERS = np.empty(0, np.int32)
_NO_NUMBERS = np.empty(0, np.int64)


@dataclass(frozen=True)
class ShardLinks:
    """The links of a shard, mapped: names by hash with the end of each one's words; these words, as
    positions in the shard's `vocabulary`; the numbers of the names in each segment, and where they
    end.
    """

    folder: StoragePath
    vocabulary: Hashes
    names: Hashes
    word_ends: SmallIntegers
    words: SmallIntegers
    links: SmallIntegers
    link_ends: SmallIntegers

    @classmethod
    def open(cls, lexical: LexicalShard) -> ShardLinks:
        """`lexical` has the words of the shard. Raises CorruptStore when a file is missing, damaged
        or inconsistent with the others.
        """
        folder, segments = lexical.folder, len(lexical)
        names = MappedTable(folder / LINK_NAMES, LINK_NAMES_SCHEMA)
        words = MappedTable(folder / LINK_WORDS, LINK_WORDS_SCHEMA)
        links = MappedTable(folder / LINKS, LINKS_SCHEMA)
        ends = MappedTable(folder / LINK_ENDS, LINK_ENDS_SCHEMA)
        if len(ends) != segments:
            raise CorruptStore(f"{folder / LINK_ENDS}: {len(ends)} segments, not {segments}")
        word_ends, link_ends = names.numbers("stop"), ends.numbers("stop")
        for name, table, of_table in ((LINK_WORDS, words, word_ends), (LINKS, links, link_ends)):
            if (int(of_table[-1]) if len(of_table) else 0) != len(table):
                raise CorruptStore(f"{folder / name}: its length is wrong")
        return cls(
            folder,
            lexical.hashes,
            names.values("name", np.uint64),
            word_ends,
            words.numbers("word"),
            links.numbers("name"),
            link_ends,
        )


@dataclass(frozen=True, slots=True)
class LinkedNames:
    """Names in segments, one entry for each name of each segment. `segments` are positions among
    the requested segments, `names` the numbers of the names, -1 for one that no page has; `words`
    are the numbers of their words, name after name, `lengths` the number of words of each.
    """

    segments: Integers
    names: SmallIntegers
    words: SmallIntegers
    lengths: Integers


class SegmentLinks:
    """The links of all shards, by segment numbers that count through the shards. Names and their
    words are in memory: 8 bytes for each name of each shard, and 4 for each word. Links stay
    mapped.
    """

    def __init__(
        self,
        shards: Sequence[ShardLinks],
        names: Callable[[Hashes], Integers],
        words: Callable[[Hashes], Integers],
    ) -> None:
        """`names` and `words` map ascending hashes to numbers. Raises CorruptStore for a name with
        missing words.
        """
        self._shards = shards
        self._segment_offsets = offsets_of([len(shard.link_ends) for shard in shards])
        self._name_offsets = offsets_of([len(shard.names) for shard in shards])
        counts = [_word_counts(shard) for shard in shards]
        self._word_starts = offsets_of(np.concatenate([_NO_INTEGERS, *counts])).astype(np.int32)
        of_shards = [names(shard.names).astype(np.int32) for shard in shards]
        self._names: SmallIntegers = np.concatenate([_NO_INTEGERS, *of_shards])
        of_shards = [words(shard.vocabulary)[shard.words].astype(np.int32) for shard in shards]
        self._words: SmallIntegers = np.concatenate([_NO_INTEGERS, *of_shards])
        # Memory views: reading a single number takes a third of the time it takes from an array.
        self._ends = [shard.link_ends.data for shard in shards]

    def of(self, segments: Integers) -> LinkedNames:
        """The names in segments. Raises CorruptStore for links that do not exist."""
        shards = self._segment_offsets.searchsorted(segments, side="right") - 1
        positions = (segments - self._segment_offsets[shards]).tolist()
        links = [
            self._links(shard, position)
            for shard, position in zip(shards.tolist(), positions, strict=True)
        ]
        counts = list(map(len, links))
        numbers, of_shard = np.concatenate([_NO_NUMBERS, *links]), shards.repeat(counts)
        names = numbers + self._name_offsets[of_shard]
        wrong = (numbers < 0) | (names >= self._name_offsets[of_shard + 1])
        if wrong.any():
            raise self._damage(int(of_shard[wrong.argmax()]))
        first, beyond = self._word_starts.take([names, names + 1]).astype(np.int64)
        lengths = beyond - first
        return LinkedNames(
            np.arange(len(segments)).repeat(counts),
            self._names.take(names),
            self._words.take(ranges(first, lengths)),
            lengths,
        )

    def _links(self, shard: int, position: int) -> SmallIntegers:
        """The numbers, within the shard, of the names in a segment."""
        ends, links = self._ends[shard], self._shards[shard].links
        start, end = ends[position - 1] if position else 0, ends[position]
        if not 0 <= start <= end <= len(links):
            raise self._damage(shard)
        return links[start:end]

    def _damage(self, shard: int) -> CorruptStore:
        path = self._shards[shard].folder / LINKS
        return CorruptStore(f"{path}: it refers to a missing name")


def _word_counts(shard: ShardLinks) -> SmallIntegers:
    counts = np.diff(shard.word_ends, prepend=np.int32(0))
    there = len(shard.vocabulary)
    if np.any(counts < 0) or np.any((shard.words < 0) | (shard.words >= there)):
        raise CorruptStore(f"{shard.folder / LINK_WORDS}: it refers to missing words")
    return counts

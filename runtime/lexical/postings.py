"""The postings of words in all shards: looked up by word hash, then read and decoded together.

Files are not trusted: ranges must lie within the shard's postings, and these must refer to existing
segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from factmill.models.arrays import Bytes, Integers, SmallIntegers
from factmill.models.lexical.bm25 import Hashes
from factmill.models.lexical.postings_deltas import unpack
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.runtime.search.sharded import offsets_of, ranges
from factmill.schemas.errors import CorruptStore
from factmill.schemas.lexical_files import POSTINGS, WORDS

_NO_INTEGERS = np.empty(0, np.int32)


@dataclass(frozen=True, slots=True)
class Postings:
    """Segments, by numbers that count through the shards, with the term frequency of the word: the
    postings of one word after those of another.
    """

    segments: Integers
    term_frequencies: Bytes


class Vocabulary:
    """The words of all shards in memory, sorted by hash and numbered from 0: 24 bytes each. One
    entry per word and shard, 20 bytes, locates its postings. Read at the first query.
    """

    def __init__(self, shards: Sequence[LexicalShard]) -> None:
        """Raises CorruptStore for postings outside their shard."""
        self._folder = shards[0].folder.parent if shards else None
        self._deltas = [shard.deltas.data for shard in shards]
        self._term_frequencies = [shard.term_frequencies.data for shard in shards]
        self._offsets = offsets_of([len(shard) for shard in shards])
        hashes = np.concatenate([np.empty(0, np.uint64), *(shard.hashes for shard in shards)])
        # A stable sort keeps the entries of a word in the order of the shards.
        order = np.argsort(hashes, kind="stable")
        bounds = [_bounds(shard) for shard in shards]
        numbers = np.repeat(np.arange(len(shards)), [len(shard.hashes) for shard in shards])
        self._shard_of = numbers.astype(np.int32)[order]
        self._starts, self._ends, self._delta_starts, self._delta_ends = (
            np.concatenate([_NO_INTEGERS, *(column[side] for column in bounds)])[order]
            for side in range(4)
        )
        in_order = hashes[order]
        new = np.ones(len(in_order), np.bool_)
        new[1:] = in_order[1:] != in_order[:-1]
        first = np.flatnonzero(new)
        self._hashes: Hashes = in_order[first]
        # The start of each word's entries, and the end of the last one's.
        self._entries: Integers = np.append(first, len(in_order))
        sizes = np.subtract(self._ends, self._starts, dtype=np.int64)
        self._counts: Integers = np.add.reduceat(sizes, first) if len(first) else sizes

    def find(self, hashes: Hashes) -> tuple[Integers, Integers]:
        """The numbers of words with these hashes, and their document frequencies: 0 for a word in
        no segment, whose number is meaningless.
        """
        if not len(self._hashes):
            return np.zeros(len(hashes), np.int64), np.zeros(len(hashes), np.int64)
        words = self._hashes.searchsorted(hashes)
        there = self._hashes.take(words, mode="clip") == hashes
        return words, self._counts.take(words, mode="clip") * there

    def counts(self, words: Integers | SmallIntegers) -> Integers:
        """The document frequencies of words, by number."""
        found: Integers = self._counts.take(words)
        return found

    def read(self, words: Integers) -> Postings:
        """The postings of words, by number, one word after the other. Raises CorruptStore for
        postings of segments that do not exist.
        """
        if not len(words):
            return Postings(np.empty(0, np.int64), np.empty(0, np.uint8))
        first = self._entries[words]
        positions = ranges(first, self._entries[words + 1] - first)
        shards = self._shard_of[positions]
        starts, ends, delta_starts, delta_ends = (
            column[positions]
            for column in (self._starts, self._ends, self._delta_starts, self._delta_ends)
        )
        deltas = _joined(self._deltas, shards, delta_starts, delta_ends)
        frequencies = _joined(self._term_frequencies, shards, starts, ends)
        counts = ends - starts
        list_ends = np.cumsum(counts, dtype=np.int64)
        byte_ends = np.cumsum(delta_ends - delta_starts, dtype=np.int64)
        try:
            segments = unpack(deltas, list_ends, byte_ends)
        except ValueError as error:
            raise self._damage(str(error)) from None
        first, beyond = self._offsets[shards], self._offsets[shards + 1]
        # The postings of an entry ascend.
        if np.any(segments[list_ends - 1] >= beyond - first):
            raise self._damage("it refers to a missing segment")
        segments += np.repeat(first, counts)
        return Postings(segments, frequencies)

    def _damage(self, message: str) -> CorruptStore:
        return CorruptStore(f"{self._folder}: {POSTINGS}: {message}")


def _joined(
    columns: Sequence[memoryview], shards: SmallIntegers, starts: SmallIntegers, ends: SmallIntegers
) -> Bytes:
    """Ranges of the shards' columns, one after the other."""
    slices = zip(shards.tolist(), starts.tolist(), ends.tolist(), strict=True)
    return np.frombuffer(b"".join([columns[s][start:end] for s, start, end in slices]), np.uint8)


def _bounds(
    shard: LexicalShard,
) -> tuple[SmallIntegers, SmallIntegers, SmallIntegers, SmallIntegers]:
    """The start and end of each word's postings, then of the bytes of their deltas."""
    bounds: list[SmallIntegers] = []
    for ends, most in (
        (shard.posting_ends, len(shard.term_frequencies)),
        (shard.delta_ends, len(shard.deltas)),
    ):
        starts = np.concatenate([np.zeros(1, np.int32), ends[:-1]])[: len(ends)]
        if np.any(starts >= ends) or (len(ends) and ends[-1] != most):
            raise CorruptStore(f"{shard.folder / WORDS}: it refers to missing postings")
        bounds += [starts, ends]
    return bounds[0], bounds[1], bounds[2], bounds[3]

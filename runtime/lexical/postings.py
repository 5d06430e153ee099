"""The postings of words in all shards: found by the words' hashes, then read and decoded together.

Nothing that a file says is trusted: ranges must lie within the shard's postings, and these must be
those of segments that are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factmill.models.lexical.bm25 import Hashes
from factmill.models.lexical.postings_deltas import unpack
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.runtime.search.sharded import Numbers, offsets_of, ranges
from factmill.schemas.errors import CorruptStore
from factmill.schemas.lexical_files import POSTINGS, WORDS

_Integers = npt.NDArray[np.int32]
_NO_INTEGERS = np.empty(0, np.int32)


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries of a vocabulary: `positions` of those of one word after those of another; `counts`
    says how many postings each word has."""

    positions: Numbers
    words: Numbers
    counts: Numbers


@dataclass(frozen=True, slots=True)
class Postings:
    """Segments, by numbers that count through the shards, and how often each has the word: those of
    one word after those of another."""

    segments: Numbers
    term_frequencies: npt.NDArray[np.uint8]


class Vocabulary:
    """The words of all shards in memory, sorted by hash: an entry for each word of each shard says
    where its postings lie. 28 bytes each, read at the first query."""

    def __init__(self, shards: Sequence[LexicalShard]) -> None:
        """Raises CorruptStore for postings that lie outside of their shard."""
        self._folder = shards[0].folder.parent if shards else None
        self._deltas = [shard.deltas.data for shard in shards]
        self._term_frequencies = [shard.term_frequencies.data for shard in shards]
        self._offsets = offsets_of([len(shard) for shard in shards])
        hashes = np.concatenate([np.empty(0, np.uint64), *(shard.hashes for shard in shards)])
        # Stable, so that the entries of a word are in the order of the shards.
        order = np.argsort(hashes, kind="stable")
        self._hashes: Hashes = hashes[order]
        bounds = [_bounds(shard) for shard in shards]
        numbers = np.repeat(np.arange(len(shards)), [len(shard.hashes) for shard in shards])
        self._shard_of = numbers.astype(np.int32)[order]
        self._starts, self._ends, self._delta_starts, self._delta_ends = (
            np.concatenate([_NO_INTEGERS, *(column[side] for column in bounds)])[order]
            for side in range(4)
        )

    def find(self, hashes: Hashes) -> Entries:
        """The entries of words by their ascending hashes; a word may have none."""
        first = self._hashes.searchsorted(hashes)
        lengths = self._hashes.searchsorted(hashes, side="right") - first
        positions = ranges(first, lengths)
        words = np.repeat(np.arange(len(hashes)), lengths)
        sizes = self._ends[positions] - self._starts[positions]
        counts = np.bincount(words, sizes, len(hashes)).astype(np.int64)
        return Entries(positions, words, counts)

    def read(self, entries: Entries, words: Numbers) -> Postings:
        """The postings of some of the words found, those of one after those of another. Raises
        CorruptStore for postings of segments that are not there."""
        if not len(words):
            return Postings(np.empty(0, np.int64), np.empty(0, np.uint8))
        bounds = entries.words.searchsorted([words, words + 1])
        positions = entries.positions[ranges(bounds[0], bounds[1] - bounds[0])]
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
        # Those of an entry ascend.
        if np.any(segments[list_ends - 1] >= beyond - first):
            raise self._damage("a segment is named that is not there")
        segments += np.repeat(first, counts)
        return Postings(segments, frequencies)

    def _damage(self, message: str) -> CorruptStore:
        return CorruptStore(f"{self._folder}: {POSTINGS}: {message}")


def _joined(
    columns: Sequence[memoryview], shards: _Integers, starts: _Integers, ends: _Integers
) -> npt.NDArray[np.uint8]:
    """Pieces of the shards' columns, one after the other."""
    slices = zip(shards.tolist(), starts.tolist(), ends.tolist(), strict=True)
    return np.frombuffer(b"".join([columns[s][start:end] for s, start, end in slices]), np.uint8)


def _bounds(shard: LexicalShard) -> tuple[_Integers, _Integers, _Integers, _Integers]:
    """Where the postings of each word start and end, then the bytes of their deltas."""
    bounds: list[_Integers] = []
    for ends, most in (
        (shard.posting_ends, len(shard.term_frequencies)),
        (shard.delta_ends, len(shard.deltas)),
    ):
        starts = np.concatenate([np.zeros(1, np.int32), ends[:-1]])[: len(ends)]
        if np.any(starts >= ends) or (len(ends) and ends[-1] != most):
            raise CorruptStore(f"{shard.folder / WORDS}: postings are named that are not there")
        bounds += [starts, ends]
    return bounds[0], bounds[1], bounds[2], bounds[3]

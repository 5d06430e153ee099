"""Candidate rows of a query: the nearest codes by Hamming distance, of these the best by score.

Up to a million rows FAISS compares all codes, of which memory holds a copy. A larger index has
inverted lists: those whose centroids are best are probed, and of their rows the ones with the
nearest short codes are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from factmill.runtime.search.all_codes import padded
from factmill.runtime.search.index_shard import InvertedLists, Shard
from factmill.runtime.search.row_scores import Codes, Query, RowScores, code_scores
from factmill.runtime.search.sharded import (
    Numbers,
    ShardedArray,
    best_positions,
    ranges,
)
from factmill.schemas.errors import CorruptStore
from factmill.schemas.index_files import INVERTED_LISTS

# Of the rows near by Hamming distance, those with the best float scores whose segments are ranked,
# for each page wanted.
ROWS_PER_PAGE = 5
LEAST_ROWS = 100
# So many times the lists to probe, and no more: then all codes one after the other are as fast, as
# lists lie far apart and short codes leave more rows to look at.
_PROBED_SHARE = 4
# Centroids scored with the float query, for each list to be probed.
_CENTROIDS_PER_PROBE = 4

# Maps a function over parts of an index, perhaps by several threads.
Mapping = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Effort:
    """How far a search looks among codes: the rows taken by Hamming distance; where there are
    inverted lists, how many are probed, and how many rows are taken by short codes, which tell
    less, for each of these rows."""

    rows: int
    nprobe: int
    by_short_codes: int


# BPR's number of rows. Words bring in what fewer miss: measured in docs/log.md.
BY_CODES = Effort(rows=1000, nprobe=4096, by_short_codes=24)
WITH_WORDS = Effort(rows=500, nprobe=64, by_short_codes=4)


class Candidates:
    """The codes of all shards, and their inverted lists if they have such."""

    def __init__(self, codes: ShardedArray[np.uint8], inverted: ProbedLists | None) -> None:
        """`codes` may be wider than a query's, with zeros behind."""
        self._codes, self._inverted = codes, inverted

    def rows(
        self, query: Query, pages: int, effort: Effort, scores: RowScores, over_parts: Mapping
    ) -> Numbers:
        """Rows that may lead to the best pages, ascending: those with the best scores of those near
        by Hamming distance. `over_parts` maps over parts of the codes when all are compared."""
        kept = max(LEAST_ROWS, ROWS_PER_PAGE * pages)
        wanted = max(effort.rows, 2 * kept)
        if self._inverted and self._inverted.count > _PROBED_SHARE * effort.nprobe:
            rows = self._inverted.nearest(query, effort.nprobe, effort.by_short_codes * wanted)
        else:
            rows = self._nearest(query.code, wanted, over_parts)
        return rows[best_positions(scores(rows), kept)]

    def _nearest(self, code: Codes, wanted: int, over_parts: Mapping) -> Numbers:
        """The rows whose codes are nearest, ascending; of equally near ones the first."""
        parts, offsets = self._codes.parts, self._codes.offsets
        code = padded(code[None], parts[0].shape[1])[0]
        found = list(over_parts(lambda codes: nearest_codes(codes, code, wanted), parts))
        # In the order of the parts, then of distances, then of rows.
        away = np.concatenate([of_part for of_part, _ in found])
        rows = np.concatenate(
            [of_part + first for (_, of_part), first in zip(found, offsets, strict=False)]
        )
        return np.sort(rows[best_positions(-away, wanted)])


class ProbedLists:
    """The inverted lists of all shards. Positions in them are counted through the shards."""

    def __init__(self, shards: Sequence[Shard], centroids: Codes) -> None:
        """Raises CorruptStore for lists that lie outside of their shard."""
        self._shards, self._centroids = shards, centroids
        self.count = len(centroids)
        parts = [lists for shard in shards if (lists := shard.inverted_lists)]
        self._rows = ShardedArray([part.rows for part in parts])
        self._short_codes = ShardedArray([part.short_codes for part in parts])
        # In memory, as every query reads many of them: 8 bytes a list and shard.
        self._offsets = np.stack(
            [
                _checked_offsets(shard, part) + first
                for shard, part, first in zip(shards, parts, self._rows.offsets, strict=False)
            ]
        )

    def nearest(self, query: Query, nprobe: int, wanted: int) -> Numbers:
        """The rows of the probed lists whose short codes are nearest to the query's, ascending.
        Raises CorruptStore for a row that is not there."""
        positions = self._positions(self._best_lists(query, nprobe))
        short_codes = self._short_codes.take(positions)
        _, nearest = nearest_codes(short_codes, query.code[: short_codes.shape[1]], wanted)
        return np.sort(self._rows_at(np.sort(positions[nearest])))

    def _best_lists(self, query: Query, count: int) -> Numbers:
        """The lists whose centroids have the best scores, of those near by Hamming distance."""
        _, near = nearest_codes(self._centroids, query.code, _CENTROIDS_PER_PROBE * count)
        near.sort()
        scores = code_scores(query.sums, self._centroids[near])
        return near[best_positions(scores, count)]

    def _positions(self, lists: Numbers) -> Numbers:
        """Positions of all that the lists hold, shard after shard."""
        first = self._offsets[:, lists]
        return ranges(first.reshape(-1), (self._offsets[:, lists + 1] - first).reshape(-1))

    def _rows_at(self, positions: Numbers) -> Numbers:
        offsets = self._rows.offsets
        shards = np.searchsorted(offsets, positions, side="right") - 1
        rows = offsets[shards] + self._rows.take(positions)
        if np.any((rows < offsets[shards]) | (rows >= offsets[shards + 1])):
            folder = self._shards[0].folder.parent
            raise CorruptStore(f"{folder}: {INVERTED_LISTS} names a row that is not there")
        return rows


def nearest_codes(codes: Codes, code: Codes, count: int) -> tuple[npt.NDArray[np.int32], Numbers]:
    """Distances and positions of the codes that are nearest to a code, by one thread; of equally
    near ones the first."""
    count = min(count, len(codes))
    if not count:
        return np.empty(0, np.int32), np.empty(0, np.int64)
    threads = faiss.omp_get_max_threads()
    # This thread's setting. A second one for a single query only costs.
    faiss.omp_set_num_threads(1)
    try:
        # By counting ("mc"), which of equally near ones finds the first, in half of a heap's time.
        away, positions = faiss.knn_hamming(code[None], codes, count, variant="mc")
    finally:
        faiss.omp_set_num_threads(threads)
    return away[0], positions[0]


def _checked_offsets(shard: Shard, lists: InvertedLists) -> Numbers:
    offsets = lists.offsets.astype(np.int64)
    if offsets[0] < 0 or offsets[-1] > len(lists.rows) or np.any(np.diff(offsets) < 0):
        raise CorruptStore(f"{shard.folder / INVERTED_LISTS}: a list is named that is not there")
    return offsets

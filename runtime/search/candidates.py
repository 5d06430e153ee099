"""Candidate rows of a query: FAISS finds many, and exact scores select the best of them.

Up to a million rows FAISS scores all codes, beyond that half of each. A larger index also has
inverted lists: those with the best centroids are probed, and of their rows the ones with the
nearest short codes are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from factmill.models.arrays import Codes, Flags, Integers
from factmill.runtime.search.code_scan import ScannedCodes
from factmill.runtime.search.index_shard import Shard
from factmill.runtime.search.probed_lists import ProbedLists, nearest_codes
from factmill.runtime.search.row_scores import Query, RowScores
from factmill.runtime.search.segment_table import SegmentTable
from factmill.runtime.search.sharded import best_positions, offsets_of

# The number of rows per requested page whose segments are ranked: those with the best exact scores
# among the rows that FAISS finds.
ROWS_PER_PAGE = 5
MIN_ROWS = 100
# Enough for a million codes of 48 bytes. Of a larger index, half of each code is copied and
# scanned, and exact scores read the mapped files.
MAX_BYTES_IN_MEMORY = 64_000_000
# The maximum share of the inverted lists to probe; above it, scanning all codes is as fast.
_MAX_PROBED_SHARE = 0.25
# The factor on the inverted lists to probe when these have too few rows.
_MORE_LISTS = 8
# Rows to find by whole codes for each row taken, because FAISS rounds its sums.
_BY_WHOLE_CODES = 2

# Maps a function over slices of the codes, possibly in several threads.
OverSlices = Callable[
    [Callable[[ScannedCodes], Integers], Iterable[ScannedCodes]], Iterable[Integers]
]


@dataclass(frozen=True, slots=True)
class Effort:
    """How thoroughly to search the codes: how many inverted lists are probed, and, for each row
    taken, how many are found by short codes and by halves of codes.
    """

    nprobe: int
    by_short_codes: int
    by_half_codes: int


# Measured in docs/log.md. Words find what fewer rows miss.
BY_CODES = Effort(nprobe=4096, by_short_codes=240, by_half_codes=30)
WITH_WORDS = Effort(nprobe=64, by_short_codes=20, by_half_codes=15)


@dataclass(frozen=True, slots=True)
class AllowedRows:
    """The rows of the segments that a filter allows; `count` is their number."""

    table: SegmentTable
    segments: Flags
    count: int

    def flags(self, rows: Integers) -> Flags:
        """Which of the rows are allowed."""
        found: Flags = self.segments.take(self.table.of_each_row(rows))
        return found

    def numbers(self) -> Integers:
        """All allowed rows, ascending."""
        found: Integers = self.flags(np.arange(self.table.rows)).nonzero()[0]
        return found


class Candidates:
    """The codes of all shards, with their inverted lists if any. What FAISS scans is kept in memory
    from the first query that needs it.
    """

    def __init__(self, shards: Sequence[Shard], centroids: Codes | None, slices: int) -> None:
        """All codes are scanned in `slices` slices."""
        self._shards, self._centroids, self._slices = shards, centroids, slices

    def rows(
        self,
        query: Query,
        pages: int,
        effort: Effort,
        scores: RowScores,
        over_slices: OverSlices,
    ) -> Integers:
        """Rows that may lead to the best pages, ascending: those with the best exact scores among
        the rows that FAISS finds. `over_slices` maps over slices of the codes when all are scanned.
        """
        kept = max(MIN_ROWS, ROWS_PER_PAGE * pages)
        clusters = 0 if self._centroids is None else len(self._centroids)
        if effort.nprobe < _MAX_PROBED_SHARE * clusters:
            rows = self._probed(query, kept, effort)
        else:
            each = effort.by_half_codes if self._halved else _BY_WHOLE_CODES
            found = list(
                over_slices(lambda codes: codes.best(query.projected, each * kept), self._all)
            )
            rows = np.concatenate(
                [of_slice + first for of_slice, first in zip(found, self._offsets, strict=False)]
            )
            rows.sort()
        return rows[best_positions(scores(rows), kept)]

    def _probed(self, query: Query, kept: int, effort: Effort) -> Integers:
        """Rows from the inverted lists with the best centroids; from more of them, if these have
        fewer rows than are kept.
        """
        nprobe, wanted = effort.nprobe, effort.by_short_codes * kept
        rows = self._lists.nearest(query, nprobe, wanted)
        while len(rows) < kept and nprobe < self._lists.count:
            nprobe *= _MORE_LISTS
            rows = self._lists.nearest(query, nprobe, wanted)
        return rows

    def allowed_rows(
        self,
        query: Query,
        pages: int,
        effort: Effort,
        scores: RowScores,
        allowed: AllowedRows,
        codes_of: Callable[[Integers], Codes],
    ) -> Integers:
        """As `rows`, among those that a filter allows. The fewer they are, the more inverted lists
        are probed; if that would be most of them, or finds too few rows, the codes of all allowed
        rows are compared.
        """
        kept = max(MIN_ROWS, ROWS_PER_PAGE * pages)
        wanted = effort.by_short_codes * kept
        clusters = 0 if self._centroids is None else len(self._centroids)
        nprobe = effort.nprobe * allowed.table.rows // max(allowed.count, 1)
        rows = np.empty(0, np.int64)
        if nprobe < _MAX_PROBED_SHARE * clusters:
            rows = self._lists.nearest(query, nprobe, wanted, allowed.flags)
        if len(rows) < min(kept, allowed.count):
            rows = allowed.numbers()
            rows = rows[np.sort(nearest_codes(codes_of(rows), query.code, wanted))]
        return rows[best_positions(scores(rows), kept)]

    @cached_property
    def _lists(self) -> ProbedLists:
        assert self._centroids is not None
        return ProbedLists(self._shards, self._centroids)

    @cached_property
    def _halved(self) -> bool:
        return sum(shard.codes.nbytes for shard in self._shards) > MAX_BYTES_IN_MEMORY

    @cached_property
    def _all(self) -> list[ScannedCodes]:
        width = self._shards[0].codes.shape[1]
        width = -(-width // 2) if self._halved else width
        codes = np.concatenate([shard.codes[:, :width] for shard in self._shards])
        return [ScannedCodes(part) for part in np.array_split(codes, self._slices)]

    @cached_property
    def _offsets(self) -> Integers:
        return offsets_of(list(map(len, self._all)))

"""From a query to pages with scores, over all shards: numbers only, no texts.

    rows with the best codes -> their exact scores -> segments by equation 10 -> pages

Thread-safe: nothing changes after opening.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np

from factmill.models.arrays import Codes, Floats, Integers
from factmill.models.encoding.device import cores
from factmill.runtime.lexical.bm25_scores import LexicalScores
from factmill.runtime.mapped.open_files import IndexFiles
from factmill.runtime.search.candidates import (
    BY_CODES,
    MAX_BYTES_IN_MEMORY,
    AllowedRows,
    Candidates,
    Effort,
)
from factmill.runtime.search.pages import ScoredPages, ScoredSegments, best_units, pages_of
from factmill.runtime.search.row_scores import Query, RowScores, code_scores
from factmill.runtime.search.search_filter import Allowed
from factmill.runtime.search.segment_scores import segment_scores
from factmill.runtime.search.segment_table import SegmentTable
from factmill.runtime.search.sharded import ShardedArray, ranges

# With fewer rows, a query is finished before another thread has started.
_ROWS_PER_THREAD = 100_000


class Searcher:
    """Searches open files; what it keeps in memory is read at the first query."""

    def __init__(self, files: IndexFiles) -> None:
        self._files = files

    @cached_property
    def table(self) -> SegmentTable:
        return SegmentTable(self._files.shards)

    @cached_property
    def _codes(self) -> ShardedArray[np.uint8]:
        of_shards = [shard.codes for shard in self._files.shards]
        if sum(codes.nbytes for codes in of_shards) > MAX_BYTES_IN_MEMORY:
            return ShardedArray(of_shards)
        # Reading one array takes a third of the time of reading one per shard.
        return ShardedArray([np.concatenate(of_shards)])

    @cached_property
    def _candidates(self) -> Candidates:
        slices = min(cores(), 1 + len(self._codes) // _ROWS_PER_THREAD)
        return Candidates(self._files.shards, self._files.centroids, slices)

    @cached_property
    def _embeddings(self) -> ShardedArray[np.float16]:
        stored = [shard.embeddings for shard in self._files.shards]
        return ShardedArray([of_shard for of_shard in stored if of_shard is not None])

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(cores(), "factmill-search")

    def row_scores(self, query: Query, by_embeddings: bool = False) -> RowScores:
        """The function that scores rows for a query, by codes or by stored embeddings."""
        if by_embeddings:
            stored, vector = self._embeddings, query.vector
            return lambda rows: np.vecdot(stored.take(rows).astype(np.float32), vector)
        return lambda rows: code_scores(query.sums, self._codes.take(rows))

    def codes_of(self, rows: Integers) -> Codes:
        """The codes of ascending rows, shape (rows, bytes)."""
        return self._codes.take(rows)

    def candidates(
        self,
        query: Query,
        pages: int,
        spread: bool = False,
        effort: Effort = BY_CODES,
        allowed: Allowed | None = None,
    ) -> Integers:
        """Segments that may be on the best pages, ascending: those of the candidate rows. `spread`
        uses all cores if that pays off. Few `allowed` segments are all candidates, without a search
        of their codes. Raises CorruptStore.
        """
        if allowed and allowed.few is not None:
            return allowed.few
        spread = spread and cores() > 1 and len(self._codes) > 2 * _ROWS_PER_THREAD
        over_slices = self._threads.map if spread else map
        scores = self.row_scores(query)
        if allowed:
            of_filter = AllowedRows(self.table, allowed.segments, allowed.rows)
            rows = self._candidates.allowed_rows(
                query, pages, effort, scores, of_filter, self._codes.take
            )
        else:
            rows = self._candidates.rows(query, pages, effort, scores, over_slices)
        return self.table.of_rows(rows)

    def scored(self, row_scores: RowScores, segments: Integers) -> ScoredSegments:
        """The ascending segments with their scores by equation 10."""
        if not len(segments):
            nothing = np.empty(0, np.float64)
            return ScoredSegments(segments, nothing, nothing)
        around, follows = self.table.with_neighbours(segments)
        first, lengths = self.table.row_ranges(around)
        scores, best_rows = segment_scores(row_scores(ranges(first, lengths)), lengths, follows)
        asked = around.searchsorted(segments)
        return ScoredSegments(segments, scores[asked], best_rows[asked])

    def pages(self, found: ScoredSegments, words: LexicalScores | None = None) -> ScoredPages:
        """The pages of scored segments, with lexical scores."""
        if words is None:
            return pages_of(self.table, found, np.zeros(len(found.segments), np.float32))
        return pages_of(self.table, found, words.of(found.segments), words.most)

    @cached_property
    def _kinds(self) -> ShardedArray[np.int8]:
        return ShardedArray([shard.rows.values("kind", np.int8) for shard in self._files.shards])

    @cached_property
    def _starts(self) -> ShardedArray[np.int32]:
        parts = [shard.segments.numbers("start") for shard in self._files.shards]
        return ShardedArray(parts)

    def tables_among(self, segments: Integers) -> Integers:
        """The tables among some ascending segments."""
        return segments[self._starts.take(segments) < 0]

    def units(
        self,
        row_scores: RowScores,
        segments: Integers,
        count: int,
        kinds: frozenset[int] | None = None,
    ) -> tuple[Integers, Floats]:
        """Rows and scores of the best units of each segment, shape (segments, count); row -1 if
        there is none. `kinds` restricts the kinds of units; None for all.
        """
        if kinds is None:
            return best_units(self.table, row_scores, segments, count)

        def of_kinds(rows: Integers) -> Floats:
            fitting = np.isin(self._kinds.take(rows), list(kinds))
            return np.where(fitting, row_scores(rows), np.float32(-np.inf))

        rows, scores = best_units(self.table, of_kinds, segments, count)
        return np.where(np.isneginf(scores), -1, rows), scores

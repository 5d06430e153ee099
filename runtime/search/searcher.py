"""From a projected query to pages with scores, over all shards: numbers only, no texts.

    nearest codes -> their rows by float score -> segments by equation 10 -> pages

The work is done by compiled kernels, which the first search loads. What they find damaged is raised
here. Thread-safe: nothing changes after opening, and kernels release the GIL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from factmill.models.encoding.device import cores
from factmill.models.encoding.encoder import Floats
from factmill.runtime.search.index_shard import Codes, Shard
from factmill.runtime.search.keys import Keys, key_of, position_of, shard_of
from factmill.runtime.search.ranking import ALPHA, TEMPERATURE, ranges, segment_scores
from factmill.schemas.errors import CorruptStore

# Of the rows near by Hamming distance, those with the best float scores whose segments are ranked,
# for each page wanted.
ROWS_PER_PAGE = 5
LEAST_ROWS = 100
# So many times the lists to read, and no more: then all codes one after the other are as fast, as
# lists lie far apart and short codes leave more rows to look at.
_ALL_LISTS = 4
# With fewer rows, one query is done before another thread has begun.
_ROWS_PER_THREAD = 100_000

Scores = npt.NDArray[np.float64]
_NO_CENTROIDS: Codes = np.empty((0, 0), np.uint8)
_T = TypeVar("_T")
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class Effort:
    """How far a search looks among codes: the rows taken by Hamming distance; where lists are read,
    how many, and for each of these rows, how many are taken by short codes, which tell less."""

    rows: int
    lists: int
    by_short_codes: int


# BPR's number of rows. Words bring in what fewer miss: measured in docs/log.md.
BY_CODES = Effort(rows=1000, lists=4096, by_short_codes=24)
WITH_WORDS = Effort(rows=500, lists=64, by_short_codes=4)


@dataclass(frozen=True, slots=True)
class Query:
    """A query in the forms that the stages want; `vector` is the encoder's."""

    text: str
    vector: Floats
    projected: Floats
    code: Codes
    prepared: Floats


@dataclass(frozen=True, slots=True)
class Pages:
    """Pages: their keys and scores, and the keys of the segments to show."""

    pages: Keys
    segments: Keys
    scores: Scores

    def __len__(self) -> int:
        return len(self.pages)

    def ranked(self, scores: Scores) -> Pages:
        """The same pages, best first by these scores; of equal ones the one that was before is
        first."""
        order = np.argsort(-scores, kind="stable")
        return Pages(self.pages[order], self.segments[order], scores[order])


class Searcher:
    """The numbers of open shards; `centroids` are those of their lists, None without lists."""

    def __init__(self, shards: Sequence[Shard], centroids: Codes | None) -> None:
        self._shards = shards
        self._centroids = _NO_CENTROIDS if centroids is None else centroids
        # The arrays are kept, so that what their addresses name stays.
        self._columns = [shard.columns() for shard in shards]
        self._addresses = np.array(
            [[column.ctypes.data for column in columns] for columns in self._columns], np.int64
        )
        self._lengths = np.array([shard.lengths() for shard in shards], np.int64)
        self.rows = int(self._lengths[:, 0].sum())

    @cached_property
    def _scan(self) -> Any:
        from factmill.runtime.search import scan_kernels

        return scan_kernels

    @cached_property
    def _stages(self) -> Any:
        from factmill.runtime.search import query_kernels

        return query_kernels

    @cached_property
    def _rank(self) -> Any:
        from factmill.runtime.search import rank_kernels

        return rank_kernels

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(cores(), "factmill-search")

    def query(self, text: str, vector: Floats, projected: Floats) -> Query:
        """A query with the encoder's vector and its projection."""
        from factmill.runtime.search.bit_kernels import prepare

        return Query(text, vector, projected, np.packbits(projected > 0), prepare(projected))

    def each(self, work: Callable[[_T], _R], items: Sequence[_T]) -> Iterable[_R]:
        """Results of work on many items, by all cores."""
        if len(items) == 1 or cores() == 1:
            return map(work, items)
        return self._threads.map(work, items)

    def candidates(
        self, query: Query, pages: int, spread: bool = False, effort: Effort = BY_CODES
    ) -> Keys:
        """Segments that may be of the best pages, sorted: those of the rows with the best float
        scores of those near by Hamming distance; `spread` uses all cores where that pays. Raises
        CorruptStore."""
        kept = max(LEAST_ROWS, ROWS_PER_PAGE * pages)
        wanted = max(effort.rows, 2 * kept)
        pieces = min(cores(), self.rows // _ROWS_PER_THREAD)
        lists = effort.lists if len(self._centroids) > _ALL_LISTS * effort.lists else 0
        if lists:
            wanted *= effort.by_short_codes
        elif spread and pieces > 1:
            found = self._nearest_of_pieces(query, wanted, pieces)
            rows = self._scan.best_rows(self._addresses, found, query.prepared, kept)
            return self._sound(self._rank.segments_of(self._addresses, self._lengths, rows))
        return self._sound(
            self._stages.candidates(
                self._addresses,
                self._lengths,
                self._centroids,
                query.code,
                query.prepared,
                wanted,
                lists,
                kept,
            )
        )

    def _nearest_of_pieces(self, query: Query, wanted: int, pieces: int) -> Keys:
        """The nearest of all rows, in so many pieces at once."""
        bounds = [self.rows * piece // pieces for piece in range(pieces + 1)]
        found = self._threads.map(
            lambda piece: self._scan.scan_rows(
                self._addresses, self._lengths, query.code, *bounds[piece : piece + 2], wanted
            ),
            range(pieces),
        )
        nearest: Keys = self._scan.merged(np.concatenate(list(found)), len(query.projected), wanted)
        return nearest

    def scores(self, query: Query, segments: Keys) -> Scores:
        """Of each of the sorted segments, its score by equation 10 and its best row's score. Raises
        CorruptStore."""
        found: Scores = self._rank.score_segments(
            self._addresses, self._lengths, segments, query.prepared, ALPHA, TEMPERATURE
        )
        if len(found) and np.isnan(found[0, 0]):
            raise self._damage()
        return found

    def scores_by_embeddings(self, query: Query, segments: Keys) -> Scores:
        """As `scores`, from the stored embeddings. Raises CorruptStore."""
        found = np.empty((len(segments), 2), np.float64)
        shards = shard_of(segments)
        for number in np.unique(shards):
            shard, places = self._shards[number], np.flatnonzero(shards == number)
            asked = position_of(segments[places])
            around, follows = shard.with_neighbours(asked)
            first, count = shard.row_ranges(around)
            rows = shard.similarities(query.vector, ranges(first, count))
            where = np.searchsorted(around, asked)
            found[places, 0] = segment_scores(rows, count, follows)[where]
            starts = np.cumsum(count) - count
            found[places, 1] = np.maximum.reduceat(rows, starts)[where]
        return found

    def pages(self, segments: Keys, scores: Scores, words: Floats) -> tuple[Pages, Floats]:
        """The pages of scored segments, by key, and the best of what words give their segments.
        Raises CorruptStore."""
        pages, shown, best, of_words = self._rank.pages_of(
            self._addresses, self._lengths, segments, scores, words
        )
        return Pages(self._sound(pages), shown, best), of_words

    def units(self, query: Query, segments: Keys, count: int) -> tuple[Keys, Floats]:
        """Positions and scores of the best units of each segment, shape (segments, count); -1 where
        there is none. Raises CorruptStore."""
        rows, scores = self._rank.best_units(
            self._addresses, self._lengths, segments, query.prepared, count
        )
        if len(rows) and rows[0, 0] < -1:
            raise self._damage()
        return rows, scores

    def units_by_embeddings(self, query: Query, segments: Keys, count: int) -> tuple[Keys, Floats]:
        """As `units`, from the stored embeddings. Raises CorruptStore."""
        rows = np.full((len(segments), count), -1, np.int64)
        scores = np.full((len(segments), count), -np.inf, np.float32)
        for place, key in enumerate(segments.tolist()):
            shard = self._shards[shard_of(key)]
            (first,), (length,) = shard.row_ranges(np.array([position_of(key)]))
            found = shard.similarities(query.vector, np.arange(first + 1, first + length))
            order = np.argsort(-found, kind="stable")[:count]
            rows[place, : len(order)] = first + 1 + order
            scores[place, : len(order)] = found[order]
        return rows, scores

    def keys(self, shard: int, segments: Sequence[int]) -> Keys:
        """Keys of segments from elsewhere, by position in their shard."""
        return key_of(shard, np.asarray(segments, np.int64))

    def _sound(self, keys: Keys) -> Keys:
        if len(keys) and keys[0] < 0:
            raise self._damage()
        return keys

    def _damage(self) -> CorruptStore:
        folder = self._shards[0].folder.parent
        return CorruptStore(f"{folder}: a row, segment or page is named that is not there")

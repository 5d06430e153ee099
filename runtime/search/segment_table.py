"""Numbers about all segments, in memory: the page of each, and which rows are its own.

They are read and validated once, at the first query (17 bytes per segment and 4 bytes per row),
because every query follows rows of all shards to segments, and these to rows, pages and neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from factmill.models.arrays import Flags, Integers
from factmill.runtime.search.index_shard import Shard
from factmill.runtime.search.sharded import distinct, offsets_of
from factmill.schemas.errors import CorruptStore
from factmill.schemas.index_files import SEGMENTS_FILE


class SegmentTable:
    """Segments, rows and pages by numbers that count through all shards (`sharded`)."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        """Raises CorruptStore for a segment with an invalid page or rows."""
        pages = [_pages(shard) for shard in shards]
        counts = [_row_counts(shard) for shard in shards]
        page_offsets = offsets_of([len(shard.pages) for shard in shards])
        self.pages: Integers = np.concatenate(
            [of_shard + first for of_shard, first in zip(pages, page_offsets, strict=False)]
        )
        # The rows of each segment begin where those of the previous one end.
        row_counts = np.concatenate(counts)
        self._row_offsets = offsets_of(row_counts)
        # With this many rows, a binary search would wait for memory at each step.
        self._of_row = np.arange(len(row_counts), dtype=np.int32).repeat(row_counts)
        same_page = self.pages[1:] == self.pages[:-1]
        # The number of pages that have a segment.
        self.page_count = len(self.pages) - int(np.count_nonzero(same_page))
        is_text = np.concatenate([shard.segments.numbers("start") for shard in shards]) >= 0
        # Whether each segment continues the text of the previous one. Tables never do, nor are they
        # continued. One extra entry marks that the last segment has no successor.
        self._follows: Flags = np.zeros(len(self.pages) + 1, np.bool_)
        self._follows[1:-1] = is_text[1:] & is_text[:-1] & same_page

    def __len__(self) -> int:
        return len(self.pages)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self._row_offsets[-1])

    def of_page(self, page: int) -> tuple[int, int]:
        """The first segment of a page, and the end of its last."""
        first, last = self.pages.searchsorted([page, page + 1])
        return int(first), int(last)

    def of_each_row(self, rows: Integers) -> Integers:
        """The segment of each row."""
        return self._of_row.take(rows).astype(np.int64)

    def of_rows(self, rows: Integers) -> Integers:
        """The distinct segments of rows, ascending."""
        return distinct(self.of_each_row(rows))

    def row_ranges(self, segments: Integers) -> tuple[Integers, Integers]:
        """The first row of each segment, which is its own, and the number of its rows."""
        first = self._row_offsets[segments]
        return first, self._row_offsets[segments + 1] - first

    def with_neighbours(self, segments: Integers) -> tuple[Integers, Flags]:
        """The ascending segments with their neighbours in the text, and which of all these follow
        the previous one.
        """
        after = segments[self._follows[segments + 1]] + 1
        before = segments[self._follows[segments]] - 1
        found = distinct(np.concatenate([segments, after, before]))
        follows = self._follows[found]
        follows[1:] &= found[1:] == found[:-1] + 1
        follows[:1] = False
        return found, follows


def _pages(shard: Shard) -> Integers:
    pages = shard.segments.numbers("page")
    if len(pages) and not 0 <= pages.min() <= pages.max() < len(shard.pages):
        raise CorruptStore(f"{shard.folder / SEGMENTS_FILE}: it refers to a missing page")
    return pages.astype(np.int64)


def _row_counts(shard: Shard) -> Integers:
    first, counts = shard.segments.numbers("first_row"), shard.segments.numbers("rows")
    ends = np.cumsum(counts, dtype=np.int64)
    whole = int(ends[-1]) if len(ends) else 0
    if np.any(counts < 1) or whole != len(shard.rows) or np.any(first != ends - counts):
        raise CorruptStore(f"{shard.folder / SEGMENTS_FILE}: it refers to missing rows")
    return counts.astype(np.int64)

"""The numbers of all segments, in memory: of which page each is, and which rows are its own.

They are read once, at the first query (17 bytes a segment and 4 bytes a row), because every query
follows rows of all shards to segments, and these to rows, pages and neighbours. What the files say
is checked then.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from factmill.runtime.search.index_shard import Shard
from factmill.runtime.search.sharded import Numbers, distinct, offsets_of
from factmill.schemas.errors import CorruptStore
from factmill.schemas.index_files import SEGMENTS

Flags = npt.NDArray[np.bool_]


class SegmentTable:
    """Segments, rows and pages by numbers that count through all shards (`sharded`)."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        """Raises CorruptStore for a segment whose page or rows are not there."""
        pages = [_pages(shard) for shard in shards]
        counts = [_row_counts(shard) for shard in shards]
        page_offsets = offsets_of([len(shard.pages) for shard in shards])
        self.pages: Numbers = np.concatenate(
            [of_shard + first for of_shard, first in zip(pages, page_offsets, strict=False)]
        )
        # The rows of each segment begin where those of the one before it end.
        row_counts = np.concatenate(counts)
        self._row_offsets = offsets_of(row_counts)
        # Of so many rows a binary search waits for memory at each step.
        self._of_row = np.arange(len(row_counts), dtype=np.int32).repeat(row_counts)
        is_text = np.concatenate([shard.segments.numbers("start") for shard in shards]) >= 0
        # Whether each segment goes on with the text of the one before it. A table never does, and
        # nothing goes on with a table. One more stands behind the last, which has no follower.
        self._follows: Flags = np.zeros(len(self.pages) + 1, np.bool_)
        self._follows[1:-1] = is_text[1:] & is_text[:-1] & (self.pages[1:] == self.pages[:-1])

    def __len__(self) -> int:
        return len(self.pages)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self._row_offsets[-1])

    def of_page(self, page: int) -> tuple[int, int]:
        """The first segment of a page, and the one behind its last."""
        first, last = self.pages.searchsorted([page, page + 1])
        return int(first), int(last)

    def of_each_row(self, rows: Numbers) -> Numbers:
        """The segment of each row."""
        return self._of_row.take(rows).astype(np.int64)

    def of_rows(self, rows: Numbers) -> Numbers:
        """The segments of rows, ascending, each once."""
        return distinct(self.of_each_row(rows))

    def row_ranges(self, segments: Numbers) -> tuple[Numbers, Numbers]:
        """The first row of each segment, which is its own, and the number of its rows."""
        first = self._row_offsets[segments]
        return first, self._row_offsets[segments + 1] - first

    def with_neighbours(self, segments: Numbers) -> tuple[Numbers, Flags]:
        """The ascending segments with those before and after them in their pages' texts, and which
        of all these follow the one before them."""
        after = segments[self._follows[segments + 1]] + 1
        before = segments[self._follows[segments]] - 1
        found = distinct(np.concatenate([segments, after, before]))
        follows = self._follows[found]
        follows[1:] &= found[1:] == found[:-1] + 1
        follows[:1] = False
        return found, follows


def _pages(shard: Shard) -> Numbers:
    pages = shard.segments.numbers("page")
    if len(pages) and not 0 <= pages.min() <= pages.max() < len(shard.pages):
        raise CorruptStore(f"{shard.folder / SEGMENTS}: a page is named that is not there")
    return pages.astype(np.int64)


def _row_counts(shard: Shard) -> Numbers:
    first, counts = shard.segments.numbers("first_row"), shard.segments.numbers("rows")
    ends = np.cumsum(counts, dtype=np.int64)
    whole = int(ends[-1]) if len(ends) else 0
    if np.any(counts < 1) or whole != len(shard.rows) or np.any(first != ends - counts):
        raise CorruptStore(f"{shard.folder / SEGMENTS}: rows are named that are not there")
    return counts.astype(np.int64)

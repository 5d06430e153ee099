"""The inverted lists of all shards merged in memory: 20 bytes a row.

The rows of an inverted list are contiguous, so a query reads nprobe ranges. Knows nothing of what
rows mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import faiss
import numpy as np

from factmill.models.arrays import Codes, Flags, Integers
from factmill.runtime.search.code_scan import ScannedCodes, one_thread
from factmill.runtime.search.index_shard import InvertedLists, Shard
from factmill.runtime.search.row_scores import Query
from factmill.runtime.search.sharded import offsets_of
from factmill.schemas.errors import CorruptStore
from factmill.schemas.index_files import INVERTED_LISTS

# Inverted lists to merge at a time: temporary arrays of all rows would fragment memory.
_LISTS_JOINED = 256


class ProbedLists:
    """Rows by inverted list, with the first bytes of their codes."""

    def __init__(self, shards: Sequence[Shard], centroids: Codes) -> None:
        """Raises CorruptStore for invalid inverted lists or rows."""
        self._centroids = ScannedCodes(centroids)
        parts = [_checked(shard, shard.inverted_lists) for shard in shards if shard.inverted_lists]
        sizes: Integers = np.add.reduce([np.diff(part.offsets) for part in parts], dtype=np.int64)
        self._offsets = offsets_of(sizes)
        rows = int(self._offsets[-1])
        self._rows = np.empty(rows, np.int32 if rows < 1 << 31 else np.int64)
        self._codes = np.empty((rows, parts[0].short_codes.shape[1]), np.uint8)
        bounds = [*range(0, len(centroids), _LISTS_JOINED), len(centroids)]
        for first, last in pairwise(bounds):
            self._join(parts, first, last)

    @property
    def count(self) -> int:
        """The number of inverted lists."""
        return len(self._centroids)

    def nearest(
        self,
        query: Query,
        nprobe: int,
        wanted: int,
        allowed: Callable[[Integers], Flags] | None = None,
    ) -> Integers:
        """The rows nearest to the query by short codes, from the inverted lists with the best
        centroids, ascending; only `allowed` ones, if given.
        """
        probed = np.sort(self._centroids.best(query.projected, nprobe))
        runs = list(
            zip(self._offsets[probed].tolist(), self._offsets[probed + 1].tolist(), strict=True)
        )
        codes = np.concatenate([self._codes[start:end] for start, end in runs])
        rows = np.concatenate([self._rows[start:end] for start, end in runs])
        if allowed:
            flags = allowed(rows)
            codes, rows = codes[flags], rows[flags]
        near = nearest_codes(codes, query.code[: codes.shape[1]], wanted)
        # With half the width, sorting takes two thirds of the time.
        return np.sort(rows.take(near)).astype(np.int64)

    def _join(self, parts: Sequence[InvertedLists], first: int, last: int) -> None:
        """Copy the inverted lists from `first` to before `last`."""
        first_rows = offsets_of([len(part.rows) for part in parts])
        offsets = [part.offsets[first : last + 1].astype(np.int64) for part in parts]
        list_of = [np.arange(last - first).repeat(np.diff(bounds)) for bounds in offsets]
        # A stable sort keeps rows of an inverted list in the order of the shards.
        order = np.argsort(np.concatenate(list_of), kind="stable")
        of_parts = [
            (part.rows[bounds[0] : bounds[-1]] + at, part.short_codes[bounds[0] : bounds[-1]])
            for part, bounds, at in zip(parts, offsets, first_rows, strict=False)
        ]
        joined = slice(self._offsets[first], self._offsets[last])
        self._rows[joined] = np.concatenate([rows for rows, _ in of_parts])[order]
        self._codes[joined] = np.concatenate([codes for _, codes in of_parts])[order]


def nearest_codes(codes: Codes, code: Codes, count: int) -> Integers:
    """Positions of the codes nearest to a code by Hamming distance, nearest first; ties go to the
    first ones.
    """
    count = min(count, len(codes))
    if not count:
        return np.empty(0, np.int64)
    with one_thread():
        # The counting method ("mc") resolves ties to the first ones, in half of a heap's time.
        _, positions = faiss.knn_hamming(code[None], codes, count, variant="mc")
    found: Integers = positions[0]
    return found


def _checked(shard: Shard, inverted: InvertedLists) -> InvertedLists:
    """The inverted lists of a shard. Raises CorruptStore unless each row is in exactly one."""
    path, rows, offsets = shard.folder / INVERTED_LISTS, inverted.rows, inverted.offsets
    if offsets[0] != 0 or offsets[-1] != len(rows) or np.any(offsets[1:] < offsets[:-1]):
        raise CorruptStore(f"{path}: it refers to a missing inverted list")
    if len(rows) and not 0 <= rows.min() <= rows.max() < len(rows):
        raise CorruptStore(f"{path}: it refers to a missing row")
    return inverted

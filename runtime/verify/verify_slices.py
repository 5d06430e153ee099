"""Slices of a shard for checking: all rows of all tables that belong to some of its pages.

Page ids are hashes, so a range of them is a fair sample of the pages, and the rows in memory are
bounded, however large a shard is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from factmill.schemas.ids import content_id
from factmill.schemas.layout import BuildDir
from factmill.schemas.tables import PAGES_TABLE, SEGMENTS_TABLE, VECTORS

# Approximate rows of `40_vectors` in one slice.
_SLICE_ROWS = 20_000
# A smaller slice would have too few pages to mean anything.
_MIN_SAMPLE = 1000


@dataclass(frozen=True)
class Slice:
    """Pages of a shard with ids from `first` ("" for the beginning) to before `end` (None for the
    end).
    """

    build: BuildDir
    shard: int
    first: str
    end: str | None

    def holds(self, page_ids: Any) -> Any:
        """Which of an Arrow array of page ids are in the slice."""
        found = pc.greater_equal(page_ids, pa.scalar(self.first, page_ids.type))
        if self.end is None:
            return found
        return pc.and_(found, pc.less(page_ids, pa.scalar(self.end, page_ids.type)))

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """The slice's rows of a table, without embeddings, which are not compared."""
        with pq.ParquetFile(self.build.part(table, self.shard)) as file:
            columns = [name for name in file.schema_arrow.names if name != "embedding"]
            for batch in file.iter_batches(batch_size=4096, columns=columns):
                yield from batch.filter(self.holds(batch["page_id"])).to_pylist()

    @cached_property
    def pages(self) -> dict[str, dict[str, Any]]:
        """Pages by id."""
        return {row["page_id"]: row for row in self.rows(PAGES_TABLE)}

    @cached_property
    def segments(self) -> dict[str, dict[str, Any]]:
        """Segments by id."""
        return {row["segment_id"]: row for row in self.rows(SEGMENTS_TABLE)}


def slices(build: BuildDir, shard: int, sample: int | None) -> Iterator[Slice]:
    """The slices to check of a shard: all, or one of about `sample` rows chosen by the build's id,
    so that over time every page has its turn.
    """
    rows = pq.read_metadata(build.part(VECTORS, shard)).num_rows
    wanted = _SLICE_ROWS if sample is None else min(_SLICE_ROWS, max(sample, _MIN_SAMPLE))
    count = max(1, -(-rows // wanted))
    chosen = range(count)
    if sample is not None:
        number = int(content_id("slice", build.build_id, str(shard))[:8], 16) % count
        chosen = range(number, number + 1)
    for number in chosen:
        first, end = (_bound(edge, count) for edge in (number, number + 1))
        yield Slice(build, shard, first or "", end)


def _bound(number: int, count: int) -> str | None:
    """The start of slice `number` of `count`; None before the first and after the last."""
    return f"{(number << 32) // count:08x}" if 0 < number < count else None

"""One shard of an index, mapped into memory: opening reads headers, searching what it needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from schemas.errors import CorruptStore
from schemas.index_files import (
    CODES,
    PAGES,
    PAGES_SCHEMA,
    ROWS,
    ROWS_SCHEMA,
    SEGMENTS,
    SEGMENTS_SCHEMA,
)

Integers = npt.NDArray[np.int64]


class MappedTable:
    """A table of an Arrow file. Rows are looked up by position without reading the others."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        try:
            with pa.memory_map(str(path)) as stream, pa.ipc.open_file(stream) as file:
                self._table = file.read_all()
        except (OSError, pa.ArrowException) as error:
            raise CorruptStore(f"{path}: {error}") from None
        if self._table.schema != schema:
            raise CorruptStore(f"{path}: its columns are not {schema.names}")

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def value(self, column: str, row: int) -> Any:
        return self._table[column][row].as_py()

    def row(self, row: int) -> dict[str, Any]:
        return {name: self.value(name, row) for name in self._table.column_names}

    def all_rows(self) -> Iterator[dict[str, Any]]:
        """Every row in order, a batch at a time."""
        for batch in self._table.to_batches(max_chunksize=4096):
            yield from batch.to_pylist()

    def numbers(self, column: str) -> Integers:
        """A whole integer column."""
        return np.asarray(self._table[column].to_numpy(), dtype=np.int64)


@dataclass(frozen=True)
class Shard:
    """Codes and the tables that lead from a row to its unit, segment and page."""

    folder: Path
    rows: MappedTable
    segments: MappedTable
    pages: MappedTable
    codes: Any

    @classmethod
    def open(cls, folder: Path) -> Shard:
        """Raises CorruptStore when a file is missing, damaged or does not fit the others."""
        rows = MappedTable(folder / ROWS, ROWS_SCHEMA)
        segments = MappedTable(folder / SEGMENTS, SEGMENTS_SCHEMA)
        pages = MappedTable(folder / PAGES, PAGES_SCHEMA)
        path = folder / CODES
        try:
            codes: Any = faiss.read_index_binary(str(path), faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError as error:
            first_line = str(error).strip().split("\n")[0]
            raise CorruptStore(f"{path}: not a FAISS index ({first_line})") from None
        # Counting by distance beats a heap for a thousand neighbours: half the time, one query.
        codes.use_heap = False
        if codes.ntotal != len(rows):
            raise CorruptStore(f"{path}: {codes.ntotal} codes for {len(rows)} rows")
        return cls(folder, rows, segments, pages, codes)

    @cached_property
    def segment_of_row(self) -> Integers:
        return self.rows.numbers("segment")

    @cached_property
    def page_of_segment(self) -> Integers:
        return self.segments.numbers("page")

    @cached_property
    def _follows(self) -> npt.NDArray[np.bool_]:
        """Which segments go on with the text of the segment before them. A table never does."""
        is_text = self.segments.numbers("start") >= 0
        page = self.page_of_segment
        follows = np.zeros(len(page), dtype=bool)
        follows[1:] = is_text[1:] & is_text[:-1] & (page[1:] == page[:-1])
        return follows

    def with_neighbours(self, segments: Integers) -> tuple[Integers, npt.NDArray[np.bool_]]:
        """The segments with those before and after them in their pages' texts, in order, and which
        of these follow the one before them."""
        follows = self._follows
        after = segments[segments < len(follows) - 1] + 1
        found = np.union1d(segments, after[follows[after]])
        found = np.union1d(found, segments[follows[segments]] - 1)
        return found, follows[found] & (np.diff(found, prepend=-2) == 1)

    @cached_property
    def row_ranges(self) -> tuple[Integers, Integers]:
        """First row and number of rows of each segment."""
        return self.segments.numbers("first_row"), self.segments.numbers("rows")

    @cached_property
    def code_matrix(self) -> npt.NDArray[np.uint8]:
        """Shape (rows, bits / 8), a view of the mapped file."""
        count, width = self.codes.ntotal, self.codes.code_size
        if not count:
            return np.empty((0, width), np.uint8)
        matrix: npt.NDArray[np.uint8] = faiss.rev_swig_ptr(self.codes.xb.data(), count * width)
        return matrix.reshape(count, width)

    def nearest(self, query_codes: npt.NDArray[np.uint8], k: int) -> tuple[Integers, Integers]:
        """Hamming distances and rows of the k nearest codes of each query, both (queries, k')."""
        if not self.codes.ntotal:
            empty = np.empty((len(query_codes), 0), dtype=np.int64)
            return empty, empty
        distances, rows = self.codes.search(query_codes, min(k, self.codes.ntotal))
        return distances.astype(np.int64), rows.astype(np.int64)

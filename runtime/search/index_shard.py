"""One shard of an index, mapped into memory: opening reads headers, searching what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, auto
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from factmill.models.encoding.encoder import Floats
from factmill.runtime.mapped.arrow_tables import Integers, MappedTable
from factmill.schemas.errors import CorruptStore
from factmill.schemas.index_files import (
    CODES,
    EMBEDDINGS,
    LIST_STARTS,
    LIST_STARTS_SCHEMA,
    LISTS,
    PAGES,
    PAGES_SCHEMA,
    ROWS,
    ROWS_SCHEMA,
    SEGMENTS,
    SEGMENTS_SCHEMA,
    embeddings_schema,
    lists_schema,
)
from factmill.schemas.storage.paths import StoragePath, local_copy

Codes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]


class Column(IntEnum):
    """The mapped columns that compiled code reads, in the order of `Shard.addresses`."""

    CODES = 0
    SEGMENT_OF_ROW = auto()
    PAGE_OF_SEGMENT = auto()
    START = auto()
    FIRST_ROW = auto()
    ROW_COUNT = auto()
    LIST_STARTS = auto()
    LIST_ROWS = auto()
    SHORT_CODES = auto()


class Length(IntEnum):
    """What compiled code checks positions against, in the order of `Shard.lengths`."""

    ROWS = 0
    SEGMENTS = auto()
    PAGES = auto()


@dataclass(frozen=True)
class Shard:
    """Codes and the tables that lead from a row to its unit, segment and page."""

    folder: StoragePath
    rows: MappedTable
    segments: MappedTable
    pages: MappedTable
    # The FAISS index, which holds the mapping of its file, and its codes, shape (rows, bits / 8).
    faiss_index: Any
    codes: Codes
    # Where the lists start, the rows in their order, and their short codes; None without lists.
    lists: tuple[Integers, Integers, Codes] | None
    embeddings: npt.NDArray[np.float16] | None

    @classmethod
    def open(cls, folder: StoragePath, lists: int = 0, dimension: int = 0) -> Shard:
        """Open a shard, with its lists and its embeddings unless their number is 0. Raises
        CorruptStore when a file is missing, damaged or does not fit the others."""
        rows = MappedTable(folder / ROWS, ROWS_SCHEMA)
        segments = MappedTable(folder / SEGMENTS, SEGMENTS_SCHEMA)
        pages = MappedTable(folder / PAGES, PAGES_SCHEMA)
        index, codes = map_codes(folder / CODES)
        if len(codes) != len(rows):
            raise CorruptStore(f"{folder / CODES}: {len(codes)} codes for {len(rows)} rows")
        mapped = _lists(folder, index.d, len(rows), lists) if lists else None
        embeddings = None
        if dimension:
            path = folder / EMBEDDINGS
            embeddings = MappedTable(path, embeddings_schema(dimension)).matrix("embedding", "<f2")
            if len(embeddings) != len(rows):
                raise CorruptStore(f"{path}: {len(embeddings)} vectors for {len(rows)} rows")
        return cls(folder, rows, segments, pages, index, codes, mapped, embeddings)

    def follows(self, segments: Positions) -> npt.NDArray[np.bool_]:
        """Which segments go on with the text of the one before them. A table never does."""
        before = np.maximum(segments - 1, 0)
        page, start = self.segments.numbers("page"), self.segments.numbers("start")
        is_text = (start[segments] >= 0) & (start[before] >= 0)
        found: npt.NDArray[np.bool_] = is_text & (page[segments] == page[before]) & (segments > 0)
        return found

    def with_neighbours(self, segments: Positions) -> tuple[Positions, npt.NDArray[np.bool_]]:
        """The sorted segments with those before and after them in their pages' texts, in order, and
        which of these follow the one before them."""
        after = segments[segments < len(self.segments) - 1] + 1
        found = np.union1d(segments, after[self.follows(after)])
        found = np.union1d(found, segments[self.follows(segments)] - 1)
        return found, self.follows(found) & (np.diff(found, prepend=-2) == 1)

    def row_ranges(self, segments: Positions) -> tuple[Positions, Positions]:
        """First row and number of rows of segments. Raises CorruptStore if there are no such."""
        first = self.segments.numbers("first_row")[segments].astype(np.int64)
        count = self.segments.numbers("rows")[segments].astype(np.int64)
        if np.any((first < 0) | (count < 1) | (first + count > len(self.rows))):
            raise CorruptStore(f"{self.folder / SEGMENTS}: a segment of rows that are not there")
        return first, count

    def similarities(self, vector: Floats, rows: Positions) -> Floats:
        """Products of a query's vector with the stored embeddings of some rows."""
        assert self.embeddings is not None
        found: Floats = self.embeddings[rows].astype(np.float32) @ vector
        return found

    @property
    def bits(self) -> int:
        return int(self.faiss_index.d)

    def columns(self) -> list[npt.NDArray[Any]]:
        """What `Column` names."""
        starts, rows, short_codes = self.lists or (_NO_NUMBERS, _NO_NUMBERS, self.codes[:0])
        return [
            self.codes,
            self.rows.numbers("segment"),
            *(self.segments.numbers(name) for name in ("page", "start", "first_row", "rows")),
            starts,
            rows,
            short_codes,
        ]

    def lengths(self) -> list[int]:
        """What `Length` names."""
        return [len(self.rows), len(self.segments), len(self.pages)]


_NO_NUMBERS: Integers = np.empty(0, np.int32)


def map_codes(path: StoragePath) -> tuple[Any, Codes]:
    """A FAISS index, which holds the mapping of its file, and its codes as they lie there. Raises
    CorruptStore."""
    index: Any
    try:
        index = faiss.read_index_binary(str(local_copy(path)), faiss.IO_FLAG_MMAP_IFC)
    except FileNotFoundError:
        raise CorruptStore(f"{path}: missing") from None
    except RuntimeError as error:
        first_line = str(error).strip().split("\n")[0]
        raise CorruptStore(f"{path}: not a FAISS index ({first_line})") from None
    if type(index).__name__ != "IndexBinaryFlat":
        raise CorruptStore(f"{path}: not a flat FAISS index")
    count, width = index.ntotal, index.code_size
    if not count:
        return index, np.empty((0, width), np.uint8)
    if index.xb.size() != count * width:
        raise CorruptStore(f"{path}: {index.xb.size()} bytes for {count} codes")
    return index, faiss.rev_swig_ptr(index.xb.data(), count * width).reshape(count, width)


def _lists(
    folder: StoragePath, bits: int, count: int, lists: int
) -> tuple[Integers, Integers, Codes]:
    table = MappedTable(folder / LISTS, lists_schema(bits))
    starts = MappedTable(folder / LIST_STARTS, LIST_STARTS_SCHEMA).numbers("start")
    if len(table) != count or len(starts) != lists + 1:
        raise CorruptStore(
            f"{folder / LISTS}: {len(table)} rows in {len(starts) - 1} lists, "
            f"not {count} in {lists}"
        )
    return starts, table.numbers("row"), table.matrix("short_code", np.uint8)

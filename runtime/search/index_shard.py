"""One shard of an index, memory-mapped: opening reads headers, searching reads what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import faiss
import numpy as np

from factmill.models.arrays import Codes, Halves, SmallIntegers
from factmill.runtime.mapped.arrow_tables import MappedTable
from factmill.schemas.errors import CorruptStore
from factmill.schemas.index_files import (
    CODES_FILE,
    EMBEDDINGS,
    INVERTED_LISTS,
    LIST_OFFSETS,
    LIST_OFFSETS_SCHEMA,
    PAGES_FILE,
    PAGES_SCHEMA,
    ROWS_FILE,
    ROWS_SCHEMA,
    SEGMENTS_FILE,
    SEGMENTS_SCHEMA,
    embeddings_schema,
    inverted_lists_schema,
)
from factmill.schemas.storage.paths import StoragePath, local_copy


@dataclass(frozen=True)
class InvertedLists:
    """The start of each inverted list and the end of the last; rows and short codes, list by
    list.
    """

    offsets: SmallIntegers
    rows: SmallIntegers
    short_codes: Codes


@dataclass(frozen=True)
class Shard:
    """Codes, and the tables that lead from a row to its unit, segment and page."""

    folder: StoragePath
    rows: MappedTable
    segments: MappedTable
    pages: MappedTable
    # The FAISS index, which owns the mapping of its file, and its codes, shape (rows, bits / 8).
    faiss_index: object
    codes: Codes
    inverted_lists: InvertedLists | None
    embeddings: Halves | None

    @classmethod
    def open(cls, folder: StoragePath, centroids: int = 0, dimension: int = 0) -> Shard:
        """Open a shard, with inverted lists for `centroids` centroids and embeddings of this
        dimension, unless 0. Raises CorruptStore when a file is missing, damaged or inconsistent
        with the others.
        """
        rows = MappedTable(folder / ROWS_FILE, ROWS_SCHEMA)
        segments = MappedTable(folder / SEGMENTS_FILE, SEGMENTS_SCHEMA)
        pages = MappedTable(folder / PAGES_FILE, PAGES_SCHEMA)
        index, codes = map_codes(folder / CODES_FILE)
        if len(codes) != len(rows):
            raise CorruptStore(f"{folder / CODES_FILE}: {len(codes)} codes for {len(rows)} rows")
        inverted = (
            _inverted_lists(folder, 8 * codes.shape[1], len(rows), centroids) if centroids else None
        )
        embeddings = None
        if dimension:
            path = folder / EMBEDDINGS
            embeddings = MappedTable(path, embeddings_schema(dimension)).matrix("embedding", "<f2")
            if len(embeddings) != len(rows):
                raise CorruptStore(f"{path}: {len(embeddings)} vectors for {len(rows)} rows")
        return cls(folder, rows, segments, pages, index, codes, inverted, embeddings)

    @property
    def bits(self) -> int:
        return int(8 * self.codes.shape[1])


def map_codes(path: StoragePath) -> tuple[object, Codes]:
    """A FAISS index, which owns the mapping of its file, and its mapped codes. Raises
    CorruptStore.
    """
    # FAISS's type stubs only say that it is some binary index.
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
    if 8 * width != index.d:
        raise CorruptStore(f"{path}: {width} bytes a code of {index.d} bits")
    if not count:
        return index, np.empty((0, width), np.uint8)
    if index.xb.size() != count * width:
        raise CorruptStore(f"{path}: {index.xb.size()} bytes for {count} codes")
    return index, faiss.rev_swig_ptr(index.xb.data(), count * width).reshape(count, width)


def _inverted_lists(folder: StoragePath, bits: int, rows: int, centroids: int) -> InvertedLists:
    table = MappedTable(folder / INVERTED_LISTS, inverted_lists_schema(bits))
    offsets = MappedTable(folder / LIST_OFFSETS, LIST_OFFSETS_SCHEMA).numbers("start")
    if len(table) != rows or len(offsets) != centroids + 1:
        raise CorruptStore(
            f"{folder / INVERTED_LISTS}: {len(table)} rows in {len(offsets) - 1} inverted lists, "
            f"not {rows} in {centroids}"
        )
    return InvertedLists(offsets, table.numbers("row"), table.matrix("short_code", np.uint8))

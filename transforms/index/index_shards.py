"""Vectors of a shard to a FAISS shard and the memory-mapped tables for its rows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from factmill.models.arrays import Codes, Halves
from factmill.schemas import index_files as files
from factmill.schemas.errors import BuildError
from factmill.schemas.layout import INDEX, BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.storage.paths import StoragePath, local_copy
from factmill.schemas.tables import VECTORS
from factmill.transforms.index.centroids import nearest_centroids, read_centroids, write_codes
from factmill.transforms.index.lexical_shard import write_lexical_shard
from factmill.transforms.index.mapped_tables import write_mapped
from factmill.transforms.tasks.shard_files import read_batches

_SEGMENT, _PROPOSITION, _QA_PAIR = range(len(files.ROW_KINDS))


@dataclass(frozen=True, slots=True)
class IndexShard:
    """Write the index files of a shard. Rows are joined by id, never by position.

    If the build has centroids, inverted lists are written too; `embeddings` stores vectors for
    re-ranking. The words of segments in `parent`, a build made by the same code, are reused.
    """

    build: BuildDir
    embeddings: bool = False
    parent: BuildDir | None = None

    def __call__(self, shard: int) -> StageCounts:
        folder = self.build.shard(INDEX, shard)
        vectors = _Vectors.read(self.build.part(VECTORS, shard), self.embeddings)
        pages, positions = _pages(self.build, shard)
        rows, segments = _rows(self.build, shard, positions)
        missing = [row["unit_id"] for row in rows if row["unit_id"] not in vectors.positions]
        if missing or len(rows) != len(vectors.positions):
            raise BuildError(
                f"shard {shard}: {len(vectors.positions)} vectors for {len(rows)} units; "
                f"none for {missing[:3]}"
            )
        order = np.array([vectors.positions[row["unit_id"]] for row in rows], np.int64)
        codes = vectors.codes[order]
        write_codes(folder / files.CODES_FILE, codes)
        write_mapped(folder / files.ROWS_FILE, pa.Table.from_pylist(rows, files.ROWS_SCHEMA))
        write_mapped(
            folder / files.SEGMENTS_FILE, pa.Table.from_pylist(segments, files.SEGMENTS_SCHEMA)
        )
        write_mapped(folder / files.PAGES_FILE, pa.Table.from_pylist(pages, files.PAGES_SCHEMA))
        write_lexical_shard(self.build, shard, self.parent)
        centroids = self.build.root / INDEX / files.CENTROIDS
        if centroids.is_file():
            _write_inverted_lists(folder, codes, read_centroids(centroids))
        if vectors.embeddings is not None:
            schema = files.embeddings_schema(vectors.embeddings.shape[1])
            column = _bytes_column(vectors.embeddings[order])
            write_mapped(folder / files.EMBEDDINGS, pa.Table.from_arrays([column], schema=schema))
        return StageCounts(len(rows), len(rows), {}, {INDEX: len(rows)})


@dataclass(frozen=True)
class _Vectors:
    """Codes of a shard, embeddings if requested, and each unit's position in them."""

    positions: dict[str, int]
    codes: Codes
    embeddings: Halves | None

    @classmethod
    def read(cls, path: StoragePath, embeddings: bool) -> _Vectors:
        schema = pq.read_schema(local_copy(path))
        width, dimension = schema.field("code").type.byte_width, schema.field("embedding").type
        ids: list[str] = []
        codes = [np.empty((0, width), np.uint8)]
        floats = [np.empty((0, dimension.list_size), np.float16)]
        for batch in read_batches(path, ["unit_id", "code", *["embedding"] * embeddings]):
            ids.extend(batch["unit_id"].to_pylist())
            joined = b"".join(batch["code"].to_pylist())
            codes.append(np.frombuffer(joined, np.uint8).reshape(-1, width))
            if embeddings:
                floats.append(batch["embedding"].flatten().to_numpy().reshape(batch.num_rows, -1))
        positions = {unit: position for position, unit in enumerate(ids)}
        return cls(positions, np.concatenate(codes), np.concatenate(floats) if embeddings else None)


def _pages(build: BuildDir, shard: int) -> tuple[list[dict[str, Any]], dict[str, int]]:
    pages: list[dict[str, Any]] = []
    for batch in read_batches(build.part("10_pages", shard), files.PAGES_SCHEMA.names):
        pages.extend(batch.to_pylist())
    return pages, {page["page_id"]: position for position, page in enumerate(pages)}


def _rows(
    build: BuildDir, shard: int, page_positions: dict[str, int]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    units = _units_by_segment(build, shard)
    rows: list[dict[str, Any]] = []
    segments: list[dict[str, Any]] = []
    columns = ["segment_id", "page_id", "kind", "text", "start", "end"]
    for batch in read_batches(build.part("11_segments", shard), columns):
        for segment in batch.to_pylist():
            position, first_row = len(segments), len(rows)
            rows.append(_row(segment["segment_id"], _SEGMENT, "", 0, len(segment["text"])))
            rows.extend(units.get(segment["segment_id"], ()))
            for row in rows[first_row:]:
                row["segment"] = position
            segments.append(
                {
                    "segment_id": segment["segment_id"],
                    "page": page_positions[segment["page_id"]],
                    "kind": segment["kind"],
                    "text": segment["text"],
                    "start": -1 if segment["start"] is None else segment["start"],
                    "end": -1 if segment["end"] is None else segment["end"],
                    "first_row": first_row,
                    "rows": len(rows) - first_row,
                }
            )
    return rows, segments


def _units_by_segment(build: BuildDir, shard: int) -> dict[str, list[dict[str, Any]]]:
    units: dict[str, list[dict[str, Any]]] = defaultdict(list)
    columns = ["unit_id", "segment_id", "text", "evidence_start", "evidence_end"]
    for batch in read_batches(build.part("20_propositions", shard), columns):
        for unit, segment, *rest in zip(*(batch[c].to_pylist() for c in columns), strict=True):
            units[segment].append(_row(unit, _PROPOSITION, *rest))
    columns = ["unit_id", "segment_id", "question", "answer_start", "answer_end"]
    for batch in read_batches(build.part("21_qa_pairs", shard), columns):
        for unit, segment, *rest in zip(*(batch[c].to_pylist() for c in columns), strict=True):
            units[segment].append(_row(unit, _QA_PAIR, *rest))
    return units


def _row(unit_id: str, kind: int, text: str, start: int, end: int) -> dict[str, Any]:
    return {
        "unit_id": unit_id, "kind": kind, "segment": 0, "text": text, "start": start, "end": end,
    }  # fmt: skip


def _write_inverted_lists(folder: StoragePath, codes: Codes, centroids: Codes) -> None:
    """The rows by inverted list, in order within each, and the start of each list."""
    nearest = nearest_centroids(codes, centroids)
    order = np.argsort(nearest, kind="stable").astype(np.int32)
    offsets = np.searchsorted(nearest[order], np.arange(len(centroids) + 1)).astype(np.int32)
    bits = 8 * codes.shape[1]
    columns = [pa.array(order), _bytes_column(codes[order, : files.short_width(bits)])]
    schema = files.inverted_lists_schema(bits)
    write_mapped(folder / files.INVERTED_LISTS, pa.Table.from_arrays(columns, schema=schema))
    offsets_table = pa.Table.from_arrays([pa.array(offsets)], schema=files.LIST_OFFSETS_SCHEMA)
    write_mapped(folder / files.LIST_OFFSETS, offsets_table)


def _bytes_column(matrix: npt.NDArray[Any]) -> pa.Array:
    """The rows of a matrix as byte strings."""
    kind = pa.binary(matrix.shape[1] * matrix.itemsize)
    buffer = pa.py_buffer(np.ascontiguousarray(matrix))
    return pa.FixedSizeBinaryArray.from_buffers(kind, len(matrix), [None, buffer])

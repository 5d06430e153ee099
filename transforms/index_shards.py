"""Vectors of a shard to a FAISS shard and the memory-mapped tables that lead back from its rows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apache_beam as beam
import faiss
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from schemas.errors import BuildError
from schemas.index_files import (
    CODES,
    KINDS,
    PAGES,
    PAGES_SCHEMA,
    ROWS,
    ROWS_SCHEMA,
    SEGMENTS,
    SEGMENTS_SCHEMA,
)
from schemas.layout import INDEX, BuildDir, whole_file
from schemas.manifest import StageCounts
from schemas.tables import VECTORS
from transforms.pieces import DoPieces
from transforms.shards import read_batches

STAGE = "index"
_ROWS_PER_BATCH = 65_536
_SEGMENT, _PROPOSITION, _QA_PAIR = range(len(KINDS))


@dataclass(frozen=True, slots=True)
class IndexShard:
    """Write the four index files of a shard. Rows are joined by id, never by position."""

    build: BuildDir

    def __call__(self, shard: int) -> StageCounts:
        folder = self.build.shard(INDEX, shard)
        codes = _codes(self.build.part(VECTORS, shard))
        pages, positions = _pages(self.build, shard)
        rows, segments = _rows(self.build, shard, positions)
        missing = [row["unit_id"] for row in rows if row["unit_id"] not in codes]
        if missing or len(rows) != len(codes):
            raise BuildError(
                f"shard {shard}: {len(codes)} vectors for {len(rows)} units; none for {missing[:3]}"
            )
        _write_codes(folder / CODES, [codes[row["unit_id"]] for row in rows])
        _write_arrow(folder / ROWS, rows, ROWS_SCHEMA)
        _write_arrow(folder / SEGMENTS, segments, SEGMENTS_SCHEMA)
        _write_arrow(folder / PAGES, pages, PAGES_SCHEMA)
        return StageCounts(len(rows), len(rows), {}, {INDEX: len(rows)})


def _codes(path: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for batch in read_batches(path, ["unit_id", "code"]):
        found.update(zip(batch["unit_id"].to_pylist(), batch["code"].to_pylist(), strict=True))
    return found


def _pages(build: BuildDir, shard: int) -> tuple[list[dict[str, Any]], dict[str, int]]:
    pages: list[dict[str, Any]] = []
    for batch in read_batches(build.part("10_pages", shard), PAGES_SCHEMA.names):
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


def _write_codes(path: Path, codes: list[bytes]) -> None:
    width = len(codes[0]) if codes else 1
    matrix: npt.NDArray[np.uint8] = np.frombuffer(b"".join(codes), np.uint8).reshape(-1, width)
    index = faiss.IndexBinaryFlat(8 * width)
    index.add(matrix)
    with whole_file(path) as temporary:
        faiss.write_index_binary(index, str(temporary))


def _write_arrow(path: Path, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    """Uncompressed, so that readers map the file and copy nothing."""
    table = pa.Table.from_pylist(rows, schema=schema)
    with whole_file(path) as temporary, pa.ipc.new_file(str(temporary), schema) as writer:
        writer.write_table(table, max_chunksize=_ROWS_PER_BATCH)


class IndexUnits(beam.PTransform):  # type: ignore[misc]
    """(shard, shard) -> shard, once its index files are written."""

    def __init__(self, build: BuildDir) -> None:
        super().__init__()
        self._build = build

    def expand(self, shards: beam.PCollection) -> beam.PCollection:
        return shards | "Index shards" >> DoPieces(self._build, STAGE, IndexShard(self._build))

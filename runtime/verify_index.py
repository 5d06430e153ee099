"""Checks the index files of a shard against the tables that they were made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from models.hash_head import HashHead
from runtime.files import IndexFiles
from runtime.shard import Shard
from schemas.errors import StoreError
from schemas.index_files import KINDS
from schemas.layout import BuildDir
from schemas.tables import VECTORS


def index_faults(build: BuildDir, shard: int, head: HashHead) -> Iterator[str]:
    """The index says of every unit what the tables say, and has its code."""
    name = f"index shard {shard}"
    try:
        (opened,) = IndexFiles(build, [shard], head).shards
    except StoreError as error:
        yield str(error)
        return
    yield from _list_faults(name, opened)
    pages = {row["page_id"]: row for row in stored_rows(build, "10_pages", shard)}
    segments = {row["segment_id"]: row for row in stored_rows(build, "11_segments", shard)}
    units = dict(_units(build, shard))
    codes = {row["unit_id"]: row["code"] for row in stored_rows(build, VECTORS, shard)}
    for number, page in enumerate(opened.pages.all_rows()):
        if any(pages.get(page["page_id"], {}).get(key) != value for key, value in page.items()):
            yield f"{name}: page {number} is not the one in 10_pages"
    page_ids, seen = opened.pages.texts("page_id"), 0
    rows = opened.rows.all_rows()
    for number, found in enumerate(opened.segments.all_rows()):
        segment = segments.get(found["segment_id"])
        if (
            segment is None
            or not 0 <= found["page"] < len(opened.pages)
            or page_ids[found["page"]] != segment["page_id"]
            or (found["kind"], found["text"]) != (segment["kind"], segment["text"])
            or (found["start"], found["end"]) != _stored_offsets(segment)
            or found["first_row"] != seen
            or not 0 < found["rows"] <= len(opened.rows) - seen
        ):
            yield f"{name}: segment {number} is not the one in 11_segments"
            return
        for position in range(seen, seen + found["rows"]):
            row = next(rows)
            own = (found["segment_id"], KINDS.index("segment"), "", 0, len(found["text"]))
            unit = row["unit_id"]
            expected = own if position == seen else units.get(unit)
            said = (found["segment_id"], row["kind"], row["text"], row["start"], row["end"])
            if said != expected or row["segment"] != number:
                yield f"{name}: row {position} is not unit {unit} of its table"
                return
            if codes.get(unit) != opened.codes[position].tobytes():
                yield f"{name}: row {position} does not have the code of unit {unit}"
                return
        seen += found["rows"]
    if seen != len(opened.rows):
        yield f"{name}: {len(opened.rows) - seen} rows belong to no segment"


def _stored_offsets(segment: dict[str, Any]) -> tuple[int, int]:
    start, end = segment["start"], segment["end"]
    return (-1 if start is None else start, -1 if end is None else end)


def _units(build: BuildDir, shard: int) -> Iterator[tuple[str, tuple[str, int, str, int, int]]]:
    """unit id -> segment, kind, text, start, end as the index has them."""
    kind = KINDS.index("proposition")
    for row in stored_rows(build, "20_propositions", shard):
        place = row["evidence_start"], row["evidence_end"]
        yield row["unit_id"], (row["segment_id"], kind, row["text"], *place)
    kind = KINDS.index("qa_pair")
    for row in stored_rows(build, "21_qa_pairs", shard):
        place = row["answer_start"], row["answer_end"]
        yield row["unit_id"], (row["segment_id"], kind, row["question"], *place)


def _list_faults(name: str, shard: Shard) -> Iterator[str]:
    """Every row is in one list, with its code."""
    if shard.lists is None:
        return
    starts, rows, codes = shard.lists
    if starts[0] != 0 or starts[-1] != len(rows) or np.any(np.diff(starts) < 0):
        yield f"{name}: its lists do not follow each other"
    if not np.array_equal(np.sort(rows), np.arange(len(rows))):
        yield f"{name}: a row is in no list, or in two"
    elif not np.array_equal(codes, shard.codes[rows]):
        yield f"{name}: a list has the code of another row"


def stored_rows(build: BuildDir, table: str, shard: int) -> Iterable[dict[str, Any]]:
    """The rows of a shard; embeddings are left out, because nothing is compared with them."""
    with pq.ParquetFile(build.part(table, shard)) as file:
        columns = [name for name in file.schema_arrow.names if name != "embedding"]
        for batch in file.iter_batches(batch_size=4096, columns=columns):
            yield from batch.to_pylist()

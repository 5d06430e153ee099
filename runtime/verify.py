"""Checks that a build is whole and true: checksums, counts, schemas, ids and offsets.

Used before publishing and by `factmill verify`. Reads every file once, a batch at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from models.hash_head import HashHead
from runtime.shard import Shard
from runtime.verify_composed import row_faults, stray_parts
from schemas.errors import StoreError
from schemas.ids import proposition_id, qa_pair_id
from schemas.index_files import KINDS
from schemas.layout import INDEX, BuildDir
from schemas.manifest import Manifest, sha256_of
from schemas.tables import TABLES, VECTORS, vectors_schema

# More of the same would only repeat the first ones.
MAX_FAULTS = 50


def verify_build(build: BuildDir, manifest: Manifest) -> list[str]:
    """What is wrong with a build, a line each; empty when it may be published."""
    faults: list[str] = []
    for fault in _faults(build, manifest):
        faults.append(fault)
        if len(faults) >= MAX_FAULTS:
            faults.append("... and perhaps more")
            break
    return faults


def _faults(build: BuildDir, manifest: Manifest) -> Iterator[str]:
    damaged = list(_file_faults(build, manifest))
    yield from damaged
    yield from _count_faults(manifest)
    if damaged:
        return  # what a damaged file holds is not worth reading
    try:
        head = HashHead.load(build.hash_head)
    except StoreError as error:
        yield str(error)
        return
    vectors = vectors_schema(head.bits, head.dimension)
    readable = True
    for shard in range(manifest.shards):
        misshapen = list(_schema_faults(build, shard, TABLES | {VECTORS: vectors}))
        yield from misshapen
        readable = readable and not misshapen
        if not misshapen:
            yield from _provenance_faults(build, shard)
            yield from _index_faults(build, shard, head.bits)
    if readable:
        yield from stray_parts(build, manifest.shards)


def _file_faults(build: BuildDir, manifest: Manifest) -> Iterator[str]:
    listed = set()
    for entry in manifest.tables.values():
        for file in entry.files:
            listed.add(file.path)
            path = build.root / file.path
            if ".." in Path(file.path).parts or Path(file.path).is_absolute():
                yield f"{file.path}: outside the build"
            elif not path.is_file():
                yield f"{file.path}: missing"
            elif path.stat().st_size != file.bytes or sha256_of(path) != file.sha256:
                yield f"{file.path}: not the bytes that were written"
            elif path.suffix == ".parquet" and _parquet_rows(path) != file.rows:
                yield f"{file.path}: not {file.rows} rows"
    for path in sorted(build.root.rglob("*")):
        name = path.relative_to(build.root).as_posix()
        hidden = any(part.startswith(".") for part in name.split("/"))
        if path.is_file() and not hidden and name not in listed and path != build.manifest:
            yield f"{name}: not in the manifest"


def _parquet_rows(path: Path) -> int:
    try:
        return int(pq.read_metadata(path).num_rows)
    except (OSError, pa.ArrowException):
        return -1


def _count_faults(manifest: Manifest) -> Iterator[str]:
    for stage, counts in manifest.counts.items():
        if not counts.balanced:
            lost = counts.records_in - counts.records_out - sum(counts.rejected.values())
            yield f"{stage}: {counts.records_in} in, but {lost} neither out nor rejected"
    rows = {name: entry.rows for name, entry in manifest.tables.items()}
    for stages, table in ((("clean",), "19_rejects"), (("extract", "validate"), "29_rejects")):
        counted = [manifest.counts[stage] for stage in stages if stage in manifest.counts]
        rejected = sum(sum(counts.rejected.values()) for counts in counted)
        if rejected != rows.get(table, 0):
            yield f"{table}: {rows.get(table, 0)} rows for {rejected} rejects"
    for counts in manifest.counts.values():
        for table, produced in counts.produced.items():
            if table in rows and rows[table] != produced:
                yield f"{table}: {rows[table]} rows, {produced} were written"
    units = sum(rows.get(name, 0) for name in ("11_segments", "20_propositions", "21_qa_pairs"))
    for table in (VECTORS, INDEX):
        if rows.get(table, 0) != units:
            yield f"{table}: {rows.get(table, 0)} rows for {units} units and segments"


def _schema_faults(build: BuildDir, shard: int, schemas: dict[str, pa.Schema]) -> Iterator[str]:
    for table, schema in schemas.items():
        path = build.part(table, shard)
        try:
            found = pq.read_schema(path)
        except (OSError, pa.ArrowException) as error:
            yield f"{table} shard {shard}: {error}"
            continue
        if not found.equals(schema):
            yield f"{table} shard {shard}: its schema is not the documented one"


def _provenance_faults(build: BuildDir, shard: int) -> Iterator[str]:
    """Unit -> segment -> page: ids exist and offsets hold."""
    pages = {row["page_id"]: row["text"] for row in _rows(build, "10_pages", shard)}
    segments: dict[str, str] = {}
    for row in _rows(build, "11_segments", shard):
        name, text = f"segment {row['segment_id']}", row["text"]
        segments[row["segment_id"]] = text
        if row["page_id"] not in pages:
            yield f"{name}: no page {row['page_id']}"
        elif row["kind"] == "text" and pages[row["page_id"]][row["start"] : row["end"]] != text:
            yield f"{name}: not at {row['start']}:{row['end']} of its page"
        if any(text[e["start"] : e["end"]] != e["text"] for e in row["entities"]):
            yield f"{name}: an entity is not where it says"
    propositions = set()
    for row in _rows(build, "20_propositions", shard):
        start, end, unit = row["evidence_start"], row["evidence_end"], row["unit_id"]
        propositions.add(unit)
        text = segments.get(row["segment_id"])
        if text is None or not 0 <= start < end <= len(text):
            yield f"proposition {unit}: no evidence at {start}:{end} of its segment"
        elif unit != proposition_id(row["segment_id"], row["text"], start, end):
            yield f"proposition {unit}: its id is not that of its content"
    for row in _rows(build, "21_qa_pairs", shard):
        start, end, unit = row["answer_start"], row["answer_end"], row["unit_id"]
        text = segments.get(row["segment_id"])
        if text is None or not row["answer"] or text[start:end] != row["answer"]:
            yield f"qa_pair {unit}: its answer is not at {start}:{end} of its segment"
        elif unit != qa_pair_id(row["segment_id"], row["question"], start, end):
            yield f"qa_pair {unit}: its id is not that of its content"
        if not propositions.issuperset(row["proposition_ids"]):
            yield f"qa_pair {unit}: it names a proposition that is not there"
    for row in _rows(build, "22_composed_questions", shard):
        yield from row_faults(row, pages)


def _index_faults(build: BuildDir, shard: int, bits: int) -> Iterator[str]:
    """The index says of every unit what the tables say, and has its code."""
    name = f"index shard {shard}"
    try:
        opened = Shard.open(build.shard(INDEX, shard))
    except StoreError as error:
        yield str(error)
        return
    if opened.codes.ntotal and opened.codes.d != bits:
        yield f"{name}: codes of {opened.codes.d} bits, head of {bits}"
        return
    pages = {row["page_id"]: row for row in _rows(build, "10_pages", shard)}
    segments = {row["segment_id"]: row for row in _rows(build, "11_segments", shard)}
    units = dict(_units(build, shard))
    codes = {row["unit_id"]: row["code"] for row in _rows(build, VECTORS, shard)}
    for number, page in enumerate(opened.pages.all_rows()):
        if any(pages.get(page["page_id"], {}).get(key) != value for key, value in page.items()):
            yield f"{name}: page {number} is not the one in 10_pages"
    matrix, seen = opened.code_matrix, 0
    rows = opened.rows.all_rows()
    for number, found in enumerate(opened.segments.all_rows()):
        segment = segments.get(found["segment_id"])
        if (
            segment is None
            or not 0 <= found["page"] < len(opened.pages)
            or opened.pages.value("page_id", found["page"]) != segment["page_id"]
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
            if codes.get(unit) != matrix[position].tobytes():
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
    for row in _rows(build, "20_propositions", shard):
        place = row["evidence_start"], row["evidence_end"]
        yield row["unit_id"], (row["segment_id"], kind, row["text"], *place)
    kind = KINDS.index("qa_pair")
    for row in _rows(build, "21_qa_pairs", shard):
        place = row["answer_start"], row["answer_end"]
        yield row["unit_id"], (row["segment_id"], kind, row["question"], *place)


def _rows(build: BuildDir, table: str, shard: int) -> Iterable[dict[str, Any]]:
    """The rows of a shard; embeddings are left out, because nothing is compared with them."""
    with pq.ParquetFile(build.part(table, shard)) as file:
        columns = [name for name in file.schema_arrow.names if name != "embedding"]
        for batch in file.iter_batches(batch_size=4096, columns=columns):
            yield from batch.to_pylist()

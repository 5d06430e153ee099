"""Checks that a build is whole and true: checksums, counts, schemas, ids and offsets.

Used before publishing and by `factmill verify`. Reads every file once, a batch at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from models.hash_head import HashHead
from runtime.verify_composed import row_faults, stray_parts
from runtime.verify_index import index_faults, stored_rows
from schemas.errors import StoreError
from schemas.ids import proposition_id, qa_pair_id
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
            yield from index_faults(build, shard, head)
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
    pages = {row["page_id"]: row["text"] for row in stored_rows(build, "10_pages", shard)}
    segments: dict[str, str] = {}
    for row in stored_rows(build, "11_segments", shard):
        name, text = f"segment {row['segment_id']}", row["text"]
        segments[row["segment_id"]] = text
        if row["page_id"] not in pages:
            yield f"{name}: no page {row['page_id']}"
        elif row["kind"] == "text" and pages[row["page_id"]][row["start"] : row["end"]] != text:
            yield f"{name}: not at {row['start']}:{row['end']} of its page"
        if any(text[e["start"] : e["end"]] != e["text"] for e in row["entities"]):
            yield f"{name}: an entity is not where it says"
    propositions = set()
    for row in stored_rows(build, "20_propositions", shard):
        start, end, unit = row["evidence_start"], row["evidence_end"], row["unit_id"]
        propositions.add(unit)
        text = segments.get(row["segment_id"])
        if text is None or not 0 <= start < end <= len(text):
            yield f"proposition {unit}: no evidence at {start}:{end} of its segment"
        elif unit != proposition_id(row["segment_id"], row["text"], start, end):
            yield f"proposition {unit}: its id is not that of its content"
    for row in stored_rows(build, "21_qa_pairs", shard):
        start, end, unit = row["answer_start"], row["answer_end"], row["unit_id"]
        text = segments.get(row["segment_id"])
        if text is None or not row["answer"] or text[start:end] != row["answer"]:
            yield f"qa_pair {unit}: its answer is not at {start}:{end} of its segment"
        elif unit != qa_pair_id(row["segment_id"], row["question"], start, end):
            yield f"qa_pair {unit}: its id is not that of its content"
        if not propositions.issuperset(row["proposition_ids"]):
            yield f"qa_pair {unit}: it names a proposition that is not there"
    for row in stored_rows(build, "22_composed_questions", shard):
        yield from row_faults(row, pages)

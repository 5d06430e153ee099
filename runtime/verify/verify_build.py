"""Checks that a build is complete and consistent: checksums, counts, schemas, ids and offsets.

Used before publishing and by `factmill verify`. Cheap checks cover everything: files, counts,
schemas, how the index files fit each other. Single rows are checked one slice of the pages at a
time, so memory is bounded; before publishing, only a sample of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.models.answering.answer_models import span_models
from factmill.models.codes.hash_head import HashHead
from factmill.models.encoding.device import cores
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.models.links.build_scorer import build_scorer
from factmill.runtime.verify.file_checksums import FileChecks
from factmill.runtime.verify.verify_composed import COMPOSED, stray_parts
from factmill.runtime.verify.verify_index import IndexCheck
from factmill.runtime.verify.verify_rows import row_faults
from factmill.runtime.verify.verify_slices import slices
from factmill.runtime.verify.verify_vectors import vector_faults
from factmill.schemas.errors import StoreError
from factmill.schemas.layout import INDEX, BuildDir, is_of_shard
from factmill.schemas.manifest import FileEntry, Manifest
from factmill.schemas.progress_events import report_progress
from factmill.schemas.storage.paths import (
    StoragePath,
    files_below,
    list_files,
    local_copy,
    local_view,
    name_below,
)
from factmill.schemas.storage.protocol import Listing
from factmill.schemas.tables import (
    CLEAN_REJECTS_TABLE,
    EXTRACT_REJECTS_TABLE,
    OLDER_SCHEMAS,
    PROPOSITIONS_TABLE,
    QA_PAIRS_TABLE,
    SEGMENTS_TABLE,
    TABLES,
    VECTORS,
    vectors_schema,
)

# Further faults of a kind would only repeat the first ones.
MAX_FAULTS = 50
# About this many rows are checked one by one before publishing.
PUBLISH_SAMPLE = 100_000
_STAGES_OF_REJECTS = (
    (("clean",), CLEAN_REJECTS_TABLE),
    (("extract", "validate"), EXTRACT_REJECTS_TABLE),
)


def verify_build(build: BuildDir, manifest: Manifest, sample: int | None = None) -> list[str]:
    """The faults of a build, one a line; empty when it may be published. `sample` is about how many
    rows to check one by one; all by default.
    """
    faults: list[str] = []
    for fault in _faults(build, manifest, sample):
        faults.append(fault)
        if len(faults) >= MAX_FAULTS:
            faults.append("... and perhaps more")
            break
    return faults


def _faults(build: BuildDir, manifest: Manifest, sample: int | None) -> Iterator[str]:
    files = [file for entry in manifest.tables.values() for file in entry.files]
    listing = list_files(build.root, (file.path for file in files))
    damaged = [*_file_faults(build, files, listing), *_unlisted(build, files)]
    yield from damaged
    yield from _count_faults(manifest)
    if damaged:
        return  # what a damaged file holds is not worth reading
    try:
        head = HashHead.load(build.hash_head)
        build_scorer(build, head.encoder)
        encoder = PublishedEncoder(build.query_encoder)
        if build.has_query_encoder():
            encoder.check()
            if encoder.fingerprint != head.encoder:
                yield f"{build.query_encoder}: not the encoder of the hash head"
        # An encoder of its own may be published where that of queries is not.
        for model in span_models(build, encoder).values():
            model.check()
    except StoreError as error:
        yield str(error)
        return
    yield from _faults_of_content(build, manifest, listing, head, sample)


def _faults_of_content(
    build: BuildDir, manifest: Manifest, listing: Listing, head: HashHead, sample: int | None
) -> Iterator[str]:
    """The faults of what undamaged files hold: columns and rows, one shard after the other."""
    vectors = vectors_schema(head.bits, head.dimension)
    of_shard = None if sample is None else sample // max(1, manifest.shards)
    readable = True
    for shard in range(manifest.shards):
        # From here on local copies are read, which are the files just checked.
        with local_view(build.root, _files_of(manifest, shard), listing) as here:
            misshapen = list(_schema_faults(BuildDir(here), shard, TABLES | {VECTORS: vectors}))
            yield from misshapen
            readable = readable and not misshapen
            if not misshapen:
                yield from _shard_faults(BuildDir(here), shard, head, of_shard)
        report_progress("checking rows", shard + 1, manifest.shards)
    if readable:
        with local_view(build.root, _files_of(manifest, None), listing) as here:
            yield from stray_parts(BuildDir(here), manifest.shards)


def _files_of(manifest: Manifest, shard: int | None) -> list[tuple[str, int]]:
    """Names and sizes of the files needed to check a shard; for None, of those needed by all."""
    return [
        (file.path, file.bytes)
        for name, entry in manifest.tables.items()
        for file in entry.files
        if (name in COMPOSED if shard is None else is_of_shard(file.path, shard))
    ]


def _shard_faults(build: BuildDir, shard: int, head: HashHead, sample: int | None) -> Iterator[str]:
    yield from vector_faults(build, shard, head)
    try:
        index: IndexCheck | None = IndexCheck.open(build, shard, head)
    except StoreError as error:
        index = None
        yield str(error)
    if index:
        misfits = list(index.faults())
        yield from misfits
        index = None if misfits else index
    for part in slices(build, shard, sample):
        yield from row_faults(part)
        if index:
            yield from index.slice_faults(part)


def _file_faults(build: BuildDir, files: Sequence[FileEntry], listing: Listing) -> Iterator[str]:
    """Files that differ from the manifest; uses all cores."""
    checks = FileChecks(listing=listing)

    def checked(file: FileEntry) -> str:
        return _file_fault(build, checks, file, listing)

    with ThreadPoolExecutor(cores(), "factmill-verify") as threads:
        faults = threads.map(checked, files)
        for number, fault in enumerate(faults, 1):
            report_progress("checking files", number, len(files))
            if fault:
                yield fault


def _file_fault(build: BuildDir, checks: FileChecks, file: FileEntry, listing: Listing) -> str:
    if ".." in Path(file.path).parts or Path(file.path).is_absolute():
        return f"{file.path}: outside the build"
    if fault := checks.fault(build.root, file):
        return fault
    path = build.root / file.path
    if file.path.endswith(".parquet") and _parquet_rows(path, listing) != file.rows:
        return f"{file.path}: not {file.rows} rows"
    return ""


def _unlisted(build: BuildDir, files: Sequence[FileEntry]) -> Iterator[str]:
    listed = {file.path for file in files}
    for path in files_below(build.root):
        name = name_below(path, build.root)
        hidden = any(part.startswith(".") for part in name.split("/"))
        if not hidden and name not in listed and path != build.manifest:
            yield f"{name}: not in the manifest"


def _parquet_rows(path: StoragePath, listing: Listing) -> int:
    try:
        return int(pq.read_metadata(local_copy(path, listing=listing)).num_rows)
    except (OSError, pa.ArrowException):
        return -1


def _count_faults(manifest: Manifest) -> Iterator[str]:
    for stage, counts in manifest.counts.items():
        if not counts.balanced:
            lost = counts.records_in - counts.records_out - sum(counts.rejected.values())
            yield f"{stage}: {counts.records_in} in, but {lost} neither out nor rejected"
    rows = {name: entry.rows for name, entry in manifest.tables.items()}
    for stages, table in _STAGES_OF_REJECTS:
        counted = [manifest.counts[stage] for stage in stages if stage in manifest.counts]
        rejected = sum(sum(counts.rejected.values()) for counts in counted)
        if rejected != rows.get(table, 0):
            yield f"{table}: {rows.get(table, 0)} rows for {rejected} rejects"
    for counts in manifest.counts.values():
        for table, produced in counts.produced.items():
            if table in rows and rows[table] != produced:
                yield f"{table}: {rows[table]} rows, {produced} were written"
    units = sum(rows.get(name, 0) for name in (SEGMENTS_TABLE, PROPOSITIONS_TABLE, QA_PAIRS_TABLE))
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
        if not any(found.equals(one) for one in (schema, *OLDER_SCHEMAS.get(table, ()))):
            yield f"{table} shard {shard}: its schema is not the documented one"

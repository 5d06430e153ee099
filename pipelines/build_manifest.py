"""The manifest of a build whose tables are finished: counts, files with checksums, settings."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone

import pyarrow.parquet as pq

from factmill.models.encoding.encoder import build_encoder
from factmill.pipelines.extract import reader_fingerprint
from factmill.pipelines.job import Job
from factmill.schemas.errors import StoreError
from factmill.schemas.fingerprint import code_fingerprint
from factmill.schemas.layout import CAPTURES, INDEX, MODELS, SETTINGS
from factmill.schemas.manifest import (
    OLDEST_TABLES,
    TOKEN_COUNTS,
    FileEntry,
    Manifest,
    StageCounts,
    TableEntry,
    read_manifest,
)
from factmill.schemas.progress_events import report_progress
from factmill.schemas.storage.atomic import shared_names
from factmill.schemas.storage.checksum import sha256_of
from factmill.schemas.storage.paths import (
    StoragePath,
    files_below,
    list_files,
    local_copy,
    name_below,
)
from factmill.schemas.storage.protocol import Listing
from factmill.schemas.tables import TABLES, VECTORS
from factmill.transforms.clean.clean_pages import SHARDS, SPLITS, clean_counts
from factmill.transforms.extract.ask_progress import read_progress
from factmill.transforms.extract.extract_units import LEDGER, VALIDATE
from factmill.transforms.tasks.task_results import TaskResults

_STAGES = ("extract", VALIDATE, "compose", "learn", "encode", "index")


def build_manifest(job: Job, seconds: dict[str, float]) -> Manifest:
    """The manifest of a finished build; `seconds` is how long each job took."""
    settings = job.settings
    counts = {
        "clean": clean_counts(
            TaskResults.of(job.build, SPLITS).total(), TaskResults.of(job.build, SHARDS).total()
        )
    }
    counts |= {stage: TaskResults.of(job.build, stage).total() for stage in _STAGES}
    return Manifest(
        build_id=job.build.build_id,
        parent=job.parent.build_id if job.parent else None,
        created_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        code_version=code_fingerprint(),
        configuration=settings.configuration(),
        fingerprints={
            "settings": settings.fingerprint,
            "reader": reader_fingerprint(settings),
            "encoder": build_encoder(job.build, settings.encoder).fingerprint,
        },
        tables=dict(_tables(job, counts["index"])),
        counts=counts,
        llm=_llm(job),
        timings=dict(seconds),
    )


def _llm(job: Job) -> dict[str, int]:
    """What the LLM's calls cost; all 0 with a reader by rule."""
    ledger = TaskResults.of(job.build, LEDGER).total().produced
    seconds = max((worker.seconds for worker in read_progress(job.build)), default=0.0)
    return {**{key: ledger.get(key, 0) for key in TOKEN_COUNTS}, "seconds": round(seconds)}


def _tables(job: Job, indexed: StageCounts) -> Iterator[tuple[str, TableEntry]]:
    shared = _shared_files(job) | job.hashed
    for name in (SETTINGS, *TABLES, CAPTURES, VECTORS, MODELS, INDEX):
        found = files_below(job.build.root / name)
        paths = [path for path in found if not path.name.startswith(".")]
        listing = list_files(job.build.root, [name_below(path, job.build.root) for path in paths])
        files: list[FileEntry] = []
        for path in paths:
            report_progress(f"checksums of {name}", len(files), len(paths))
            files.append(file_entry(job.build.root, path, shared, listing))
        job.hashed.update((file.path, file) for file in files)
        rows = sum(file.rows for file in files)
        yield name, TableEntry(indexed.records_out if name == INDEX else rows, tuple(files))


def _shared_files(job: Job) -> dict[str, FileEntry]:
    """The parent's files that the build links to, by name. Their entries in the parent's manifest
    stay valid: verification compares their bytes with them.
    """
    if job.parent is None:
        return {}
    try:
        tables = read_manifest(job.parent, OLDEST_TABLES).tables.values()
    except StoreError:
        return {}
    shared = shared_names(job.build.root, job.parent.root)
    return {file.path: file for entry in tables for file in entry.files if file.path in shared}


def file_entry(
    root: StoragePath,
    path: StoragePath,
    shared: dict[str, FileEntry],
    listing: Listing | None = None,
) -> FileEntry:
    """The entry of a file below a build's folder; taken from `shared` if the file is the
    parent's.
    """
    name = name_below(path, root)
    if name in shared:
        return shared[name]
    here = local_copy(path, listing=listing)
    rows = int(pq.read_metadata(here).num_rows) if path.suffix == ".parquet" else 0
    return FileEntry(name, rows, here.stat().st_size, sha256_of(here))

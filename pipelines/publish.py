"""Job publish: all tables -> `60_quality`, `70_report`, `manifest.json`, then CURRENT.

The build is verified first, with the runtime itself."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from datetime import datetime, timezone

import pyarrow.parquet as pq

from factmill.models.encoding.encoder import build_encoder
from factmill.pipelines.cli.job_command import main
from factmill.pipelines.extract import reader_fingerprint
from factmill.pipelines.job import Job
from factmill.pipelines.report import REPORT, write_report
from factmill.pipelines.store.page_check import BuildPages, broken_inputs, lost_input
from factmill.pipelines.store.publish_checks import published_id
from factmill.pipelines.store.quality_check import QUALITY, QualityVerdict, judge
from factmill.runtime.index import Index
from factmill.runtime.opening import open_build
from factmill.runtime.verify.verify_build import PUBLISH_SAMPLE, verify_build
from factmill.runtime.verify.verify_queries import query_faults
from factmill.schemas.errors import BuildError, NotPublished, StoreError
from factmill.schemas.fingerprint import code_fingerprint
from factmill.schemas.layout import CAPTURES, INDEX, MODELS, SETTINGS, BuildDir
from factmill.schemas.manifest import (
    OLDEST_TABLES,
    TOKEN_COUNTS,
    FileEntry,
    Manifest,
    StageCounts,
    TableEntry,
    read_manifest,
    sha256_of,
)
from factmill.schemas.progress_events import report_progress
from factmill.schemas.storage.atomic import discard, shared_names
from factmill.schemas.storage.paths import StoragePath, files_below, local_copy, name_below
from factmill.schemas.tables import TABLES, VECTORS
from factmill.transforms.clean.clean_pages import SHARDS, SPLITS, clean_counts
from factmill.transforms.clean.input_sources import load_sources
from factmill.transforms.extract.ask_progress import read_progress
from factmill.transforms.extract.extract_units import LEDGER, VALIDATE
from factmill.transforms.report.verdict import PublishVerdict
from factmill.transforms.tasks.notices import warn
from factmill.transforms.tasks.task_results import TaskResults

_STAGES = ("extract", VALIDATE, "compose", "learn", "encode", "index")


def publish(job: Job, seconds: dict[str, float] | None = None) -> Manifest:
    """Verify all of a finished build, write its manifest, and make it the published one. `seconds`
    is how long each job took.

    Raises BuildError, and publishes nothing, when anything does not add up; NotPublished, and keeps
    the build, when it is whole and must not replace the published one.
    """
    began = time.monotonic()
    build = job.build
    # Of an earlier run, which did not publish.
    for folder in (QUALITY, REPORT):
        discard(build.root / folder)
    manifest = _manifest(job, seconds or {})
    index = _verified_index(build, manifest)
    quality = _quality_verdict(job, manifest, index)
    verdict = PublishVerdict(
        str(build.store.root),
        _published_id(build),
        _lost_input(job, manifest),
        quality.line() if quality and not quality.passed else "",
    )
    manifest.timings["publish"] = round(time.monotonic() - began, 3)
    # Last, because it shows all the others.
    report = _add_report(job, manifest, verdict, quality)
    manifest.write(build)
    if verdict.kept_because:
        raise NotPublished(
            f"{'; '.join(verdict.kept_because)}; {build.build_id} is kept and not published."
            f" Publish it with: factmill rollback {build.store.root} --to {build.build_id}"
            f" (report: {report})"
        )
    job.options.publishing.check(build.store)
    build.store.publish(build)
    discard(build.work)
    return manifest


def _verified_index(build: BuildDir, manifest: Manifest) -> Index:
    """The build as the runtime opens it. Raises BuildError when a count or checksum is wrong, or
    when queries do not find what is there."""
    faults = verify_build(build, manifest, PUBLISH_SAMPLE)
    if faults:
        raise BuildError(f"{build.root} is not published: " + "; ".join(faults[:5]))
    report_progress("asking", 0, 1)
    index = open_build(build, manifest)
    if not index.segments:
        raise BuildError(f"{build.root} is not published: a search finds nothing")
    for fault in query_faults(index):
        raise BuildError(f"{build.root} is not published: {fault}")
    return index


def _lost_input(job: Job, manifest: Manifest) -> str:
    """What of the published build's input is missing, "" for nothing. Warns of broken input that
    had no page before, or had broken before."""
    sources = load_sources(job.build)
    published = _published_pages(job.build)
    check = job.options.publishing.pages
    lost = ""
    if check is not None and published is not None:
        partial = job.settings.keep_missing
        now = BuildPages(manifest.counts["clean"].records_out, None if partial else sources)
        lost = lost_input(check, published, now)
    if not lost:
        for line in broken_inputs(sources or ()):
            warn("publish", line)
    return lost


def _published_pages(build: BuildDir) -> BuildPages | None:
    """Those of the published build; None when there is none that can be read."""
    try:
        published = build.store.published()
        total = read_manifest(published, OLDEST_TABLES).counts["clean"].records_out
    except StoreError:
        return None
    return BuildPages(total, load_sources(published))


def _quality_verdict(job: Job, manifest: Manifest, index: Index) -> QualityVerdict | None:
    """Recall beside that of the published build, kept in the build; None without questions."""
    check = job.options.publishing.quality
    if check is None:
        return None
    report_progress("judging", 0, 1)
    verdict = judge(check, index, job.build.store)
    figures = _file_entry(job.build.root, verdict.save(job.build), {})
    manifest.tables[QUALITY] = TableEntry(0, (figures,))
    return verdict


def _add_report(
    job: Job, manifest: Manifest, verdict: PublishVerdict, quality: QualityVerdict | None
) -> StoragePath:
    report_progress("reporting", 0, 1)
    found = quality.as_json() if quality else None
    path = write_report(job.build, manifest, job.parent, verdict, found)
    manifest.tables[REPORT] = TableEntry(0, (_file_entry(job.build.root, path, {}),))
    return path


def _published_id(build: BuildDir) -> str | None:
    """The build that is published now, if it is another; None when CURRENT cannot be read."""
    try:
        found = published_id(build.store)
    except StoreError:
        return None
    return None if found == build.build_id else found


def _manifest(job: Job, seconds: dict[str, float]) -> Manifest:
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
    shared = _shared_files(job)
    for name in (SETTINGS, *TABLES, CAPTURES, VECTORS, MODELS, INDEX):
        paths = [
            path for path in files_below(job.build.root / name) if not path.name.startswith(".")
        ]
        files: list[FileEntry] = []
        for path in paths:
            report_progress(f"checksums of {name}", len(files), len(paths))
            files.append(_file_entry(job.build.root, path, shared))
        rows = sum(file.rows for file in files)
        yield name, TableEntry(indexed.records_out if name == INDEX else rows, tuple(files))


def _shared_files(job: Job) -> dict[str, FileEntry]:
    """The parent's files that the build links to, by name. Their entries in the parent's manifest
    hold, and verification compares their bytes with them."""
    if job.parent is None:
        return {}
    try:
        tables = read_manifest(job.parent, OLDEST_TABLES).tables.values()
    except StoreError:
        return {}
    shared = shared_names(job.build.root, job.parent.root)
    return {file.path: file for entry in tables for file in entry.files if file.path in shared}


def _file_entry(root: StoragePath, path: StoragePath, shared: dict[str, FileEntry]) -> FileEntry:
    name = name_below(path, root)
    if name in shared:
        return shared[name]
    here = local_copy(path)
    rows = int(pq.read_metadata(here).num_rows) if path.suffix == ".parquet" else 0
    return FileEntry(name, rows, here.stat().st_size, sha256_of(here))


if __name__ == "__main__":
    sys.exit(main(publish, "publish"))

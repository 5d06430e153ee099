"""Job publish: all tables -> `60_quality`, `70_report`, `manifest.json`, then CURRENT.

The build is verified first, with the runtime itself."""

from __future__ import annotations

import sys
import time

from factmill.pipelines.build_manifest import build_manifest, file_entry
from factmill.pipelines.cli.job_command import main
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
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import (
    OLDEST_TABLES,
    Manifest,
    TableEntry,
    read_manifest,
)
from factmill.schemas.progress_events import report_progress
from factmill.schemas.storage.atomic import discard
from factmill.schemas.storage.paths import StoragePath
from factmill.transforms.clean.input_sources import load_sources
from factmill.transforms.report.verdict import PublishVerdict
from factmill.transforms.tasks.notices import warn


def publish(job: Job, seconds: dict[str, float] | None = None) -> Manifest:
    """Verify a finished build, write its manifest, and publish it. `seconds` is how long each job
    took.

    Raises BuildError, and publishes nothing, when a check fails; NotPublished, and keeps the build,
    when it is complete but must not replace the published one.
    """
    began = time.monotonic()
    build = job.build
    # Left by an earlier run that did not publish.
    for folder in (QUALITY, REPORT):
        discard(build.root / folder)
    manifest = build_manifest(job, seconds or {})
    index = _verified_index(build, manifest)
    quality = _quality_verdict(job, manifest, index)
    verdict = PublishVerdict(
        str(build.store.root),
        _published_id(build),
        _lost_input(job, manifest),
        quality.line() if quality and not quality.passed else "",
    )
    manifest.timings["publish"] = round(time.monotonic() - began, 3)
    # Last, because the report shows all other results.
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
    """The build opened by the runtime. Raises BuildError when a count or checksum is wrong, or when
    queries do not find what is there.
    """
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
    """The input of the published build that is missing, "" for none. Warns of broken input that had
    no pages before, or was broken before.
    """
    sources = load_sources(job.build)
    published = _published_pages(job.build)
    check = job.options.publishing.pages
    lost = ""
    if check is not None and published is not None:
        partial = job.settings.keep_missing
        now = BuildPages(manifest.counted("clean").records_out, None if partial else sources)
        lost = lost_input(check, published, now)
    if not lost:
        for line in broken_inputs(sources or ()):
            warn("publish", line)
    return lost


def _published_pages(build: BuildDir) -> BuildPages | None:
    """Page counts of the published build; None when they cannot be read."""
    try:
        published = build.store.published()
        total = read_manifest(published, OLDEST_TABLES).counted("clean").records_out
    except StoreError:
        return None
    return BuildPages(total, load_sources(published))


def _quality_verdict(job: Job, manifest: Manifest, index: Index) -> QualityVerdict | None:
    """Recall compared with the published build, stored in the build; None without questions."""
    check = job.options.publishing.quality
    if check is None:
        return None
    report_progress("judging", 0, 1)
    verdict = judge(check, index, job.build.store)
    figures = file_entry(job.build.root, verdict.save(job.build), {})
    manifest.tables[QUALITY] = TableEntry(0, (figures,))
    return verdict


def _add_report(
    job: Job, manifest: Manifest, verdict: PublishVerdict, quality: QualityVerdict | None
) -> StoragePath:
    report_progress("reporting", 0, 1)
    found = quality.as_json() if quality else None
    path = write_report(job.build, manifest, job.parent, verdict, found)
    manifest.tables[REPORT] = TableEntry(0, (file_entry(job.build.root, path, {}),))
    return path


def _published_id(build: BuildDir) -> str | None:
    """Id of the published build, if it is another one; None when CURRENT cannot be read."""
    try:
        found = published_id(build.store)
    except StoreError:
        return None
    return None if found == build.build_id else found


if __name__ == "__main__":
    sys.exit(main(publish, "publish"))

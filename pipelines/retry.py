"""Ask an LLM again about the segments that it failed to read, and publish the result.

    published build -> its rejects leave the log of readings
                    -> a new build that shares its pages and segments
                    -> every job after cleaning

Pages are not cleaned again. Everything but the rejects is reused: the LLM gets no other call, and
only new units are encoded.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from factmill.pipelines.build import run_jobs
from factmill.pipelines.extract import reader_fingerprint
from factmill.pipelines.job import Job
from factmill.pipelines.llm_options import LLM
from factmill.pipelines.open_build import open_job
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import OLDEST_TABLES, Manifest, StageCounts, read_manifest
from factmill.schemas.storage.atomic import discard, link_file
from factmill.schemas.storage.paths import StoragePath, name_below
from factmill.transforms.clean.clean_pages import SHARDS, SPLITS
from factmill.transforms.clean.input_sources import load_sources, save_sources
from factmill.transforms.clean.merge_shard import TABLES as CLEANED
from factmill.transforms.clean.stored_captures import captures_file
from factmill.transforms.extract.extract_units import NO_UNITS, STAGE
from factmill.transforms.extract.reading_log import LogWriter, Record
from factmill.transforms.tasks.shard_files import read_batches
from factmill.transforms.tasks.task_results import TaskResults


@dataclass(frozen=True, slots=True)
class RetryResult:
    """The published build, and about how many segments it was asked again (0: nothing was done)."""

    manifest: Manifest
    asked: int


def retry(store: Store, options: RunOptions) -> RetryResult:
    """Raises OptionError when no LLM read the published build, BuildError when this cannot be
    finished; what was published stays then."""
    published = store.published()
    manifest = read_manifest(published, OLDEST_TABLES)
    settings = BuildSettings.load(published)
    if settings.reader != LLM:
        raise OptionError(f"{store.root}: was read by rule; only what an LLM read can be retried")
    options.llm.check(settings.reader)
    rejects = rejected_segments(published, settings.shards)
    asked = sum(map(len, rejects.values()))
    if not asked:
        return RetryResult(manifest, 0)
    discard(published.work)
    # Forgotten first: were the build made first, a run killed between would ask about nothing.
    reader = reader_fingerprint(settings)
    for shard, segments in rejects.items():
        _forget(store.readings(reader, shard), published.build_id, segments)
    job = open_job(store, settings, options, manifest)
    _share_pages(published, manifest, job)
    published_now = run_jobs(job, cleaned=True)
    assert published_now is not None
    return RetryResult(published_now, asked)


def rejected_segments(build: BuildDir, shards: int) -> dict[int, list[str]]:
    """Ids of the segments that a build failed to read, by shard; stating nothing is no failure."""
    found: dict[int, list[str]] = defaultdict(list)
    columns = ["stage", "reason", "record_id"]
    for shard in range(shards):
        for batch in read_batches(build.part("29_rejects", shard), columns):
            for row in batch.to_pylist():
                if row["stage"] == STAGE and row["reason"] != NO_UNITS:
                    found[shard].append(row["record_id"])
    return dict(found)


def _forget(folder: StoragePath, build_id: str, segments: list[str]) -> None:
    writer = LogWriter(folder, build_id)
    writer.add(Record(build_id, dict.fromkeys(segments)))
    writer.close()


def _share_pages(published: BuildDir, manifest: Manifest, job: Job) -> None:
    """Give the new build the files of cleaning and its counts. Done again when it is resumed."""
    for shard in range(job.settings.shards):
        files = [published.part(table, shard) for table in CLEANED]
        for path in (*files, captures_file(published, shard)):
            if path.is_file():
                link_file(path, job.build.root / name_below(path, published.root))
    sources = load_sources(published)
    if sources is not None:
        save_sources(job.build, sources)
    counts = manifest.counts["clean"]
    splits = StageCounts(counts.records_in, 0, counts.rejected)
    TaskResults.of(job.build, SPLITS).finish(0, splits)
    shards = StageCounts(0, counts.records_out, produced=counts.produced)
    TaskResults.of(job.build, SHARDS).finish(0, shards)

"""A new build on the published build's pages, which are not cleaned again."""

from __future__ import annotations

from factmill.pipelines.job import Job
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import Manifest, StageCounts
from factmill.schemas.storage.atomic import discard, link_file
from factmill.schemas.storage.paths import name_below
from factmill.transforms.clean.clean_pages import SHARDS, SPLITS
from factmill.transforms.clean.input_sources import load_sources, save_sources
from factmill.transforms.clean.merge_shard import CLEAN_TABLES
from factmill.transforms.clean.stored_captures import captures_file
from factmill.transforms.tasks.task_results import TaskResults


def share_pages(published: BuildDir, manifest: Manifest, job: Job) -> None:
    """Link the published build's files of cleaning into the new build, and copy their counts. Safe
    to repeat when the build resumes.
    """
    for shard in range(job.settings.shards):
        files = [published.part(table, shard) for table in CLEAN_TABLES]
        for path in (*files, captures_file(published, shard)):
            if path.is_file():
                link_file(path, job.build.root / name_below(path, published.root))
    sources = load_sources(published)
    if sources is not None:
        save_sources(job.build, sources)
    counts = manifest.counted("clean")
    for step in (SPLITS, SHARDS):
        # Earlier cleaning in this build left counts, which would be added.
        discard(TaskResults.of(job.build, step).folder)
    splits = StageCounts(counts.records_in, 0, counts.rejected)
    TaskResults.of(job.build, SPLITS).finish(0, splits)
    shards = StageCounts(0, counts.records_out, produced=counts.produced)
    TaskResults.of(job.build, SHARDS).finish(0, shards)

"""Job clean: input files -> `10_pages`, `11_segments`, `12_captures`, `19_rejects`.

The page counts of each input source are stored in `00_settings`.
"""

from __future__ import annotations

import sys

import apache_beam as beam

from factmill.pipelines.cli.job_command import main
from factmill.pipelines.job import Job
from factmill.pipelines.planned_splits import note_splits
from factmill.pipelines.runners.run_job import run_job
from factmill.pipelines.runners.runner_options import BeamJob
from factmill.schemas.errors import BuildError
from factmill.schemas.layout import BuildDir
from factmill.transforms.clean.clean_pages import CleanPages
from factmill.transforms.clean.compare_pages import split_pages_file
from factmill.transforms.clean.input_sources import (
    input_sources,
    load_sources,
    save_sources,
    with_kept,
)
from factmill.transforms.clean.page_processes import load_page_models
from factmill.transforms.clean.stored_captures import captures_file, intact_captures

# A worker process takes seconds to start, so small inputs stay in one.
_BYTES_PER_WORKER = 3_000_000


def clean(job: Job) -> None:
    """Clean every input file. Raises BuildError when missing pages must be kept but cannot be read,
    and when the build began with other splits.
    """
    if job.settings.keep_missing and job.parent:
        _check_captures(job.parent, job.settings.shards)
    if job.parent is None and job.options.local:
        load_page_models()  # with a parent, there may be no page to extract
    note_splits(job)
    size = sum(file.size for file in job.settings.inputs)
    settings = job.settings
    workers = min(len(job.splits), 1 + size // _BYTES_PER_WORKER)
    work = CleanPages(
        job.build,
        settings.shards,
        settings.cleaning,
        job.parent,
        job.parent_for("segments") is not None,
        len(job.splits) if settings.keep_missing else None,
    )

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "Input splits" >> beam.Create(job.splits, reshuffle=False)
            | "Clean pages" >> work
        )

    run_job(wire, job.options, BeamJob(job.build, "clean"), workers)
    _save_sources(job)


def _save_sources(job: Job) -> None:
    """Store how many pages came from each input source, for the next build's page check. Workers
    that do not share the store leave no counts; running the job reports that.
    """
    if not split_pages_file(job.build).is_file():
        return
    sources = input_sources(job.build, job.splits)
    if job.settings.keep_missing and job.parent:
        sources = with_kept(load_sources(job.parent) or (), sources)
    save_sources(job.build, sources)


def _check_captures(parent: BuildDir, shards: int) -> None:
    """Raises BuildError when a shard of captures is damaged: for kept pages, the input has no
    record to extract again.
    """
    for shard in range(shards):
        if intact_captures(parent, shard) is None:
            file = captures_file(parent, shard)
            raise BuildError(
                f"{file}: missing or damaged, so no page can be kept; build without --keep-missing"
            )


if __name__ == "__main__":
    sys.exit(main(clean, "clean"))

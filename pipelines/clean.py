"""Job clean: input files to `10_pages`, `11_segments` and `19_rejects`."""

from __future__ import annotations

import sys

import apache_beam as beam

from pipelines.job import Job, main
from pipelines.running import run_job
from transforms.clean_pages import CleanPages

# A worker process takes seconds to start, so small inputs stay in one.
_BYTES_PER_WORKER = 3_000_000


def clean(job: Job) -> None:
    """Clean every input file."""
    size = sum(file.size for file in job.settings.inputs)
    pieces = min(len(job.splits), 1 + size // _BYTES_PER_WORKER)

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "Input splits" >> beam.Create(job.splits, reshuffle=False)
            | "Clean pages" >> CleanPages(job.build, job.settings.shards, job.settings.cleaning)
        )

    run_job(wire, job.options, pieces)


if __name__ == "__main__":
    sys.exit(main(clean, "clean"))

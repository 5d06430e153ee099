"""Job compose: `21_qa_pairs` -> `22_composed_questions`."""

from __future__ import annotations

import sys

import apache_beam as beam

from factmill.pipelines.cli.job_command import main
from factmill.pipelines.job import Job
from factmill.pipelines.runners.run_job import run_job, shard_tasks
from factmill.pipelines.runners.runner_options import BeamJob
from factmill.schemas.tables import QA_PAIRS_TABLE
from factmill.transforms.compose.compose_questions import ComposeQuestions
from factmill.transforms.tasks.shard_files import table_bytes

# Composing is fast: a second worker pays off only above this many bytes.
_BYTES_PER_WORKER = 8_000_000


def compose(job: Job) -> None:
    """Compose questions from several QA pairs."""
    shards = job.settings.shards
    size = table_bytes(job.build, QA_PAIRS_TABLE, shards)

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "Shards" >> beam.Create(shard_tasks(shards), reshuffle=False)
            | "Compose questions" >> ComposeQuestions(job.build, shards, job.parent)
        )

    workers = min(shards, 1 + size // _BYTES_PER_WORKER)
    run_job(wire, job.options, BeamJob(job.build, "compose"), workers)


if __name__ == "__main__":
    sys.exit(main(compose, "compose"))

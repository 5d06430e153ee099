"""Job learn: propositions and QA pairs to `30_models`."""

from __future__ import annotations

import sys

import apache_beam as beam

from models.encoder import Encoder
from models.hash_training import TrainingConfig
from pipelines.encode import BYTES_PER_WORKER
from pipelines.job import Job, main
from pipelines.running import run_job
from transforms.learn_head import STAGE, LearnHead
from transforms.pieces import DoPieces
from transforms.shards import table_bytes


def learn(job: Job) -> None:
    """Learn the hash head, or take over the parent's."""
    settings = job.settings
    work = LearnHead(
        job.build,
        settings.shards,
        Encoder(settings.encoder),
        TrainingConfig(bits=settings.code_bits),
        job.parent,
    )

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "The build" >> beam.Create([(0, 0)], reshuffle=False)
            | "Learn hash head" >> DoPieces(job.build, STAGE, work)
        )

    large = table_bytes(job.build, "20_propositions", settings.shards) > BYTES_PER_WORKER
    run_job(wire, job.options, 1, apart=large)


if __name__ == "__main__":
    sys.exit(main(learn, "learn"))

"""Job index: vectors to FAISS shards and memory-mapped tables in `50_index`."""

from __future__ import annotations

import sys

import apache_beam as beam

from pipelines.job import Job, main
from pipelines.running import run_job, shard_pieces
from transforms.index_shards import IndexUnits


def index(job: Job) -> None:
    """Index every shard, in one process: it copies rows and computes nothing."""

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "Shards" >> beam.Create(shard_pieces(job.settings.shards), reshuffle=False)
            | "Index units" >> IndexUnits(job.build)
        )

    run_job(wire, job.options, 1)


if __name__ == "__main__":
    sys.exit(main(index, "index"))

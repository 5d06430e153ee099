"""Job index: vectors to FAISS shards and memory-mapped tables in `50_index`."""

from __future__ import annotations

import sys

import apache_beam as beam

from pipelines.job import Job, main
from pipelines.machines import BeamJob
from pipelines.running import run_job, shard_pieces
from schemas.tables import VECTORS
from transforms.centroids import STEP, FindCentroids, list_count
from transforms.pieces import DoPieces
from transforms.shards import table_rows
from transforms.share_index import STAGE, ShareIndexShard


def index(job: Job) -> None:
    """Index every shard, in one process: it copies rows and computes little."""
    shards = job.settings.shards
    work = ShareIndexShard(job.build, job.settings.store_embeddings, job.parent_for("index"))

    def wire_centroids(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "The build" >> beam.Create([(0, 0)], reshuffle=False)
            | "Find centroids"
            >> DoPieces(job.build, STEP, FindCentroids(job.build, shards, job.parent))
        )

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "Shards" >> beam.Create(shard_pieces(shards), reshuffle=False)
            | "Index shards" >> DoPieces(job.build, STAGE, work)
        )

    if list_count(table_rows(job.build, VECTORS, shards)):
        run_job(wire_centroids, job.options, BeamJob(job.build, "centroids"), 1)
    run_job(wire, job.options, BeamJob(job.build, "index"), 1)


if __name__ == "__main__":
    sys.exit(main(index, "index"))

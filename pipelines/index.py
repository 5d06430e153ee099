"""Job index: `40_vectors` and texts -> FAISS shards and memory-mapped tables in `50_index`."""

from __future__ import annotations

import sys

import apache_beam as beam

from factmill.pipelines.cli.job_command import main
from factmill.pipelines.job import Job
from factmill.pipelines.runners.run_job import run_job, shard_tasks
from factmill.pipelines.runners.runner_options import BeamJob
from factmill.schemas.tables import VECTORS
from factmill.transforms.index.centroids import CENTROIDS_STEP, FindCentroids, list_count
from factmill.transforms.index.link_pages import LinkPages
from factmill.transforms.index.reuse_index import INDEX_STAGE, ShareIndexShard
from factmill.transforms.tasks.run_tasks import RunTasks
from factmill.transforms.tasks.shard_files import count_rows


def index(job: Job) -> None:
    """Index every shard in one process: it copies rows and computes little."""
    shards = job.settings.shards
    parent = job.parent_for("index")
    work = ShareIndexShard(job.build, job.settings.store_embeddings, parent)

    def wire_centroids(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "The build" >> beam.Create([(0, 0)], reshuffle=False)
            | "Find centroids"
            >> RunTasks(job.build, CENTROIDS_STEP, FindCentroids(job.build, shards, job.parent))
        )

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "Shards" >> beam.Create(shard_tasks(shards), reshuffle=False)
            | "Index shards" >> RunTasks(job.build, INDEX_STAGE, work)
            | "Link pages" >> LinkPages(job.build, shards, parent)
        )

    if list_count(count_rows(job.build, VECTORS, shards)):
        run_job(wire_centroids, job.options, BeamJob(job.build, "centroids"), 1)
    run_job(wire, job.options, BeamJob(job.build, "index"), 1)


if __name__ == "__main__":
    sys.exit(main(index, "index"))

"""Job encode: segments, propositions and QA pairs -> `40_vectors`."""

from __future__ import annotations

import os
import sys

import apache_beam as beam

from factmill.models.encoding.device import CPU, best_device
from factmill.models.encoding.encoder import build_encoder
from factmill.pipelines.cli.job_command import main
from factmill.pipelines.job import Job
from factmill.pipelines.runners.run_job import run_job, shard_tasks
from factmill.pipelines.runners.runner_options import BeamJob
from factmill.schemas.tables import PROPOSITIONS_TABLE
from factmill.transforms.encode.encode_units import EncodeShard, EncodeUnits
from factmill.transforms.tasks.shard_files import table_bytes

# Each process loads its own model, which takes as long as encoding about a megabyte of text (tables
# are compressed).
BYTES_PER_WORKER = 500_000
# Cores that one process with one model keeps busy: on each core, Python runs only one or two
# hundredths of the time.
CORES_PER_WORKER = 8


def encode(job: Job) -> None:
    """Encode every unit and segment."""
    shards = job.settings.shards
    size = table_bytes(job.build, PROPOSITIONS_TABLE, shards)
    workers = worker_processes(best_device(), os.cpu_count() or 1, size, shards)
    threads = job.options.threads(workers)
    work = EncodeShard(
        job.build,
        build_encoder(job.build, job.settings.encoder),
        job.parent_for("encode"),
        threads,
        job.begun_for("encode"),
    )

    hints = job.options.remote_workers.encode_hints

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "Shards" >> beam.Create(shard_tasks(shards), reshuffle=False)
            | "Encode units" >> EncodeUnits(work).with_resource_hints(**hints)
        )

    # Another process does not pay off when most vectors are reused.
    own_process = job.parent_for("encode") is None and size > BYTES_PER_WORKER
    beam_job = BeamJob(job.build, "encode", alone=True)
    run_job(wire, job.options, beam_job, workers, own_process=own_process)


def worker_processes(device: str, cores: int, size: int, shards: int) -> int:
    """How many processes of the local runner pay off for tables of `size` bytes. A GPU serves only
    one.
    """
    if device != CPU:
        return 1
    return min(shards, 1 + size // BYTES_PER_WORKER, -(-cores // CORES_PER_WORKER))


if __name__ == "__main__":
    sys.exit(main(encode, "encode"))

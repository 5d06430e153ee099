"""Job encode: units and segments to `40_vectors`."""

from __future__ import annotations

import os
import sys

import apache_beam as beam

from factmill.models.encoding.device import CPU, best_device
from factmill.models.encoding.encoder import build_encoder
from factmill.pipelines.job import Job, main
from factmill.pipelines.runners.machines import BeamJob
from factmill.pipelines.runners.start import run_job, shard_pieces
from factmill.transforms.encode.encode_units import EncodeShard, EncodeUnits
from factmill.transforms.tasks.shard_files import table_bytes

# A process of its own loads the model once more, which takes as long as encoding about a megabyte
# of text (tables are compressed).
BYTES_PER_WORKER = 500_000
# Cores that one process and one model in memory keep busy: on each, Python is needed for one or two
# hundredths of the time.
CORES_PER_WORKER = 8


def encode(job: Job) -> None:
    """Encode every unit and segment."""
    shards = job.settings.shards
    size = table_bytes(job.build, "20_propositions", shards)
    workers = worker_processes(best_device(), os.cpu_count() or 1, size, shards)
    threads = job.options.threads(workers)
    work = EncodeShard(
        job.build,
        build_encoder(job.build, job.settings.encoder),
        job.parent_for("encode"),
        threads,
    )

    hints = job.options.machines.encode_hints

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "Shards" >> beam.Create(shard_pieces(shards), reshuffle=False)
            | "Encode units" >> EncodeUnits(work).with_resource_hints(**hints)
        )

    # A process more is not worth its start where most vectors are taken over.
    anew = job.parent_for("encode") is None
    step = BeamJob(job.build, "encode", alone=True)
    run_job(wire, job.options, step, workers, apart=anew and size > BYTES_PER_WORKER)


def worker_processes(device: str, cores: int, size: int, shards: int) -> int:
    """Processes of the local runner that are worth their model, for tables of so many bytes. A GPU
    belongs to one of them."""
    if device != CPU:
        return 1
    return min(shards, 1 + size // BYTES_PER_WORKER, -(-cores // CORES_PER_WORKER))


if __name__ == "__main__":
    sys.exit(main(encode, "encode"))

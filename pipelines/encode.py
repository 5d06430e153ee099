"""Job encode: units and segments to `40_vectors`."""

from __future__ import annotations

import sys

import apache_beam as beam

from models.encoder import Encoder
from pipelines.job import Job, main
from pipelines.running import run_job, shard_pieces
from transforms.encode_units import EncodeShard, EncodeUnits
from transforms.shards import table_bytes

# Every worker loads the model, which takes as long as encoding about a megabyte of text.
BYTES_PER_WORKER = 500_000


def encode(job: Job) -> None:
    """Encode every unit and segment."""
    shards = job.settings.shards
    size = table_bytes(job.build, "20_propositions", shards)
    pieces = min(shards, 1 + size // BYTES_PER_WORKER)
    threads = job.options.threads(pieces)
    work = EncodeShard(job.build, Encoder(job.settings.encoder), job.parent, threads)

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "Shards" >> beam.Create(shard_pieces(shards), reshuffle=False)
            | "Encode units" >> EncodeUnits(work)
        )

    run_job(wire, job.options, pieces)


if __name__ == "__main__":
    sys.exit(main(encode, "encode"))

"""Job extract: segments to `20_propositions`, `21_qa_pairs` and `29_rejects`."""

from __future__ import annotations

import sys

import apache_beam as beam

from models.readers.heuristic.reader import HeuristicReader
from models.readers.reading import Reader
from pipelines.job import Job, main
from pipelines.running import run_job, shard_pieces
from schemas.errors import OptionError
from transforms.extract_units import ExtractUnits
from transforms.shards import table_bytes

# Reading by rule is fast: a second worker pays when there is this much to read.
_BYTES_PER_WORKER = 4_000_000


def make_reader(name: str) -> Reader:
    """The reader of that name. Raises OptionError when there is none."""
    if name == "heuristic":
        return HeuristicReader()
    raise OptionError(f"--reader {name}: the only reader is heuristic")


def extract(job: Job) -> None:
    """Read every segment."""
    reader = make_reader(job.settings.reader)
    size = table_bytes(job.build, "11_segments", job.settings.shards)

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "Shards" >> beam.Create(shard_pieces(job.settings.shards), reshuffle=False)
            | "Extract units" >> ExtractUnits(job.build, reader)
        )

    run_job(wire, job.options, min(job.settings.shards, 1 + size // _BYTES_PER_WORKER))


if __name__ == "__main__":
    sys.exit(main(extract, "extract"))

"""Job extract: `11_segments` -> `20_propositions`, `21_qa_pairs`, `29_rejects`.

The rule-based reader reads while the tables are written. An LLM is asked first, by as many
processes as keep it busy; then the tables are written from its answers.
"""

from __future__ import annotations

import sys

import apache_beam as beam

from factmill.models.llm.endpoint import Endpoint
from factmill.models.llm.retry_policy import RetryPolicy
from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.llm.reader import fingerprint
from factmill.models.readers.reading import NO_UNITS
from factmill.pipelines.cli.job_command import main
from factmill.pipelines.job import Job
from factmill.pipelines.llm_options import LLM, LlmOptions
from factmill.pipelines.runners.run_job import run_job, shard_tasks
from factmill.pipelines.runners.runner_options import BeamJob
from factmill.pipelines.settings import BuildSettings
from factmill.schemas.errors import BuildError
from factmill.schemas.storage.atomic import discard
from factmill.schemas.tables import SEGMENTS_TABLE
from factmill.transforms.extract.ask_progress import begin_asking, raise_stop
from factmill.transforms.extract.ask_segments import Asking, AskSegments, AskShards
from factmill.transforms.extract.extract_units import (
    EXTRACT_STAGE,
    ExtractAnswered,
    ExtractShard,
    ExtractUnits,
)
from factmill.transforms.extract.failed_segments import failed_segments, forget
from factmill.transforms.tasks.run_tasks import Work
from factmill.transforms.tasks.shard_files import table_bytes
from factmill.transforms.tasks.task_results import TaskResults

# Reading by rule is fast: a second worker pays off only above this many bytes.
_BYTES_PER_WORKER = 4_000_000
# Replaced by a worker that starts its own server.
_VLLM_URL = "http://127.0.0.1/v1"


def reader_fingerprint(settings: BuildSettings) -> str:
    """Fingerprint of the reader that the settings name."""
    if settings.reader == LLM:
        return fingerprint(settings.llm_model)
    return HeuristicReader.fingerprint


def extract(job: Job) -> None:
    """Read every segment. Raises ServerDown or BudgetSpent; the next run then resumes."""
    job.options.llm.check(job.settings.reader)
    work: Work = ExtractShard(job.build, HeuristicReader(), job.parent_for("extract"))
    if job.settings.reader == LLM:
        _ask(job)
        work = ExtractAnswered(job.build, reader_fingerprint(job.settings), job.parent)
    size = table_bytes(job.build, SEGMENTS_TABLE, job.settings.shards)

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "Shards" >> beam.Create(shard_tasks(job.settings.shards), reshuffle=False)
            | "Extract units" >> ExtractUnits(job.build, work)
        )

    workers = min(job.settings.shards, 1 + size // _BYTES_PER_WORKER)
    run_job(wire, job.options, BeamJob(job.build, "extract"), workers)
    if job.settings.reader == LLM:
        _need_answers(job)


def _need_answers(job: Job) -> None:
    """Raise BuildError when the LLM failed on every segment, and let the next run ask again."""
    results = TaskResults.of(job.build, EXTRACT_STAGE)
    counts = results.total()
    reasons = {name: count for name, count in counts.rejected.items() if name != NO_UNITS}
    if not counts.records_in or sum(reasons.values()) < counts.records_in:
        return
    failed = failed_segments(job.build, job.settings.shards)
    forget(job.build, reader_fingerprint(job.settings), failed)
    discard(results.folder)
    shown = ", ".join(f"{count:,} {name}" for name, count in sorted(reasons.items()))
    raise BuildError(
        f"nothing is published, because the LLM read none of {counts.records_in:,} segments"
        f" ({shown}); run the same command to ask again"
    )


def asking_processes(llm: LlmOptions, shards: int) -> tuple[int, int]:
    """The number of processes that send requests, and how many requests each has in flight. All
    together keep to `in_flight`; processes with a vLLM of their own each do.
    """
    workers = min(shards, llm.processes)
    if llm.vllm:
        return workers, llm.in_flight
    workers = min(workers, llm.in_flight)
    return workers, llm.in_flight // workers


def _ask(job: Job) -> None:
    """Ask about every segment that has not been read yet."""
    llm, shards = job.options.llm, job.settings.shards
    workers, in_flight = asking_processes(llm, shards)
    groups = [list(range(first, shards, workers)) for first in range(workers)]
    retry = RetryPolicy(deadline_seconds=llm.deadline, outage_seconds=llm.max_outage)
    endpoint = Endpoint(llm.url or _VLLM_URL, job.settings.llm_model, in_flight, retry)
    reader = reader_fingerprint(job.settings)
    work = AskShards(job.build, Asking(endpoint, reader, llm.segments, llm.tokens, llm.vllm))

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "Groups of shards" >> beam.Create(groups, reshuffle=False)
            | "Ask about segments" >> AskSegments(work, llm.accelerator)
        )

    begin_asking(job.build)
    run_job(wire, job.options, BeamJob(job.build, "ask", alone=bool(llm.vllm)), workers)
    raise_stop(job.build)


if __name__ == "__main__":
    sys.exit(main(extract, "extract"))

"""Runs a Beam job to its end: on the local runner, or on the one that the user named.

Both get the same graph, and both raise what a worker raised.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner

from factmill.pipelines.llm_options import LlmOptions
from factmill.pipelines.runners.remote import check_remote, must_be_done, run_remote
from factmill.pipelines.runners.runner_options import (
    DATAFLOW,
    BeamJob,
    RemoteWorkers,
    check_beam_arguments,
    runner_of,
)
from factmill.pipelines.runners.worker_errors import ClearErrors
from factmill.pipelines.runners.worker_processes import (
    WorkerProcesses,
    without_broken_connections,
)
from factmill.pipelines.store.publish_checks import Publishing

Wire = Callable[[beam.Pipeline], object]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How jobs run; none of it changes their results. `jobs` is the number of worker processes of
    the local runner; `beam` is passed to Beam unchanged; `llm` says how an LLM is called,
    `remote_workers` describes the workers of another runner, `publishing` the conditions for
    publishing the build.
    """

    jobs: int
    beam: tuple[str, ...] = ()
    llm: LlmOptions = field(default_factory=LlmOptions)
    publishing: Publishing = field(default_factory=Publishing)
    remote_workers: RemoteWorkers = field(default_factory=RemoteWorkers)

    @property
    def local(self) -> bool:
        return not any(argument.startswith("--runner") for argument in self.beam)

    def processes(self, tasks: int) -> int:
        """Worker processes of the local runner for a job with this many tasks."""
        return max(1, min(self.jobs, tasks))

    def threads(self, tasks: int) -> int | None:
        """Threads for each worker, so that together they use every core once. None: all threads of
        the worker's machine, for Dataflow, where a job has its machines to itself. Other runners do
        not say how many processes share a machine.
        """
        if self.local:
            return max(1, (os.cpu_count() or 1) // self.processes(tasks))
        return None if runner_of(self.beam) == DATAFLOW else 1

    def check(self) -> None:
        """Raises OptionError when no job could start with these options."""
        check_beam_arguments(self.beam)
        self.remote_workers.check("" if self.local else runner_of(self.beam))
        if not self.local:
            check_remote(self.beam)


def run_job(
    wire: Wire, options: RunOptions, job: BeamJob, tasks: int, *, own_process: bool = False
) -> None:
    """Build the job's graph with `wire` and run it to its end. Raises the FactmillError that a
    worker raised, NoSpace when a disk is full, or BuildError when the runner failed.

    `own_process` asks for a worker process even for a single task, so that its memory is freed
    afterwards.
    """
    with ClearErrors(job.build.store):
        if options.local:
            workers = options.processes(tasks)
            _run_local(wire, options.beam, job, workers, workers > 1 or own_process)
        else:
            run_remote(wire, options.beam, options.remote_workers, job)


def _run_local(
    wire: Wire, beam_arguments: Sequence[str], job: BeamJob, workers: int, processes: bool
) -> None:
    """Run in this process, or in worker processes of this machine."""
    # The local runner by its own name: "DirectRunner" may pick one that downloads a program.
    runner = FnApiRunner(default_environment=_worker_processes() if processes else None)
    # Type checks take a fifth of a small job, and these graphs are our own.
    ours = ["--no_save_main_session", "--no_pipeline_type_check"]
    arguments = [*ours, *beam_arguments, f"--direct_num_workers={workers}"]
    pipeline = beam.Pipeline(runner=runner, options=PipelineOptions(arguments))
    wire(pipeline)
    with without_broken_connections():
        must_be_done(job, pipeline.run().wait_until_finish())


def _worker_processes() -> WorkerProcesses:
    command = f"{sys.executable} -m factmill.pipelines.runners.local_worker"
    environment: WorkerProcesses = WorkerProcesses.from_command_string(command)
    return environment


def shard_tasks(shards: int) -> Sequence[tuple[int, int]]:
    """One task for each shard, as (number, shard)."""
    return [(shard, shard) for shard in range(shards)]

"""Starting Beam jobs: runner, workers and options in one place.

The local runner starts processes of this machine; any other one is handed the same graph.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner

from factmill.pipelines.cli.llm_options import LlmOptions
from factmill.pipelines.runners.machines import DATAFLOW, BeamJob, Machines, runner_of
from factmill.pipelines.runners.remote import check_remote, must_be_done, run_remote
from factmill.pipelines.runners.worker_processes import (
    LOST,
    WorkerProcesses,
    without_broken_connections,
)
from factmill.pipelines.store.publish_checks import Publishing
from factmill.schemas.errors import BuildError, OptionError


@dataclass(frozen=True, slots=True)
class RunOptions:
    """`jobs` is the number of worker processes of the local runner; `beam` is handed to Beam; `llm`
    says how an LLM is asked, `machines` what another runner's workers are, `publishing` what must
    hold for the build to be published."""

    jobs: int
    beam: tuple[str, ...] = ()
    llm: LlmOptions = field(default_factory=LlmOptions)
    publishing: Publishing = field(default_factory=Publishing)
    machines: Machines = field(default_factory=Machines)

    @property
    def local(self) -> bool:
        return not any(argument.startswith("--runner") for argument in self.beam)

    def workers(self, pieces: int) -> int:
        """Worker processes for a job of so many pieces."""
        return max(1, min(self.jobs, pieces))

    def threads(self, pieces: int) -> int | None:
        """Threads for each worker, so that all of them together use every core once. None: all of
        the worker's machine, which is Dataflow's where a job has them alone; how many processes
        share a machine elsewhere is not known here."""
        if self.local:
            return max(1, (os.cpu_count() or 1) // self.workers(pieces))
        return None if runner_of(self.beam) == DATAFLOW else 1

    def check(self) -> None:
        """Raises OptionError when no job could be started like this."""
        check_beam_arguments(self.beam)
        runner = "" if self.local else runner_of(self.beam)
        self.machines.check(runner)
        if runner:
            check_remote(self.beam)


def run_job(
    wire: Callable[[beam.Pipeline], object],
    options: RunOptions,
    step: BeamJob,
    pieces: int,
    apart: bool = False,
) -> None:
    """Wire the job's graph and run it to its end. Raises BuildError when the runner failed, or what
    a worker raised of factmill's own errors.

    `apart` asks for a worker process even for a single piece, so that its memory goes with it.
    """
    if not options.local:
        run_remote(wire, options.beam, options.machines, step)
        return
    workers = options.workers(pieces)
    # The local runner, named outright: "DirectRunner" may choose one that downloads a program.
    runner = FnApiRunner(default_environment=_environment(workers > 1 or apart))
    arguments = ["--no_save_main_session", *options.beam, f"--direct_num_workers={workers}"]
    pipeline = beam.Pipeline(runner=runner, options=PipelineOptions(arguments))
    wire(pipeline)
    try:
        with without_broken_connections():
            must_be_done(step, pipeline.run().wait_until_finish())
    except RuntimeError as error:
        if LOST in str(error):
            raise BuildError(
                f"{LOST}, perhaps for want of memory; the same command goes on"
            ) from None
        raise


def _environment(processes: bool) -> WorkerProcesses | None:
    """Worker processes, or None for this process."""
    if not processes:
        return None
    command = f"{sys.executable} -m factmill.pipelines.runners.local_worker"
    environment: WorkerProcesses = WorkerProcesses.from_command_string(command)
    return environment


def check_beam_arguments(arguments: Sequence[str]) -> None:
    """Raises OptionError for an option that neither factmill nor Beam knows."""
    known = argparse.ArgumentParser(add_help=False, conflict_handler="resolve")
    for options in PipelineOptions.__subclasses__():
        options._add_argparse_args(known)
    for position, argument in enumerate(arguments):
        name = argument.split("=", 1)[0]
        if name.startswith("-") and name not in known._option_string_actions:
            raise OptionError(f"{name}: no such option of factmill build, nor of Beam")
        if position == 0 and not name.startswith("-"):
            raise OptionError(f"{name}: not an option")


def shard_pieces(shards: int) -> Sequence[tuple[int, int]]:
    """One piece a shard."""
    return [(shard, shard) for shard in range(shards)]

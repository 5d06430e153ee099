"""Starting Beam jobs: runner, workers and options in one place."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner

from pipelines.llm_options import LlmOptions
from pipelines.publishing import Publishing
from pipelines.worker_processes import LOST, WorkerProcesses, without_broken_connections
from schemas.errors import BuildError, OptionError


@dataclass(frozen=True, slots=True)
class RunOptions:
    """`jobs` is the number of worker processes of the local runner; `beam` is handed to Beam; `llm`
    says how an LLM is asked, `publishing` what must hold for the build to be published."""

    jobs: int
    beam: tuple[str, ...] = ()
    llm: LlmOptions = field(default_factory=LlmOptions)
    publishing: Publishing = field(default_factory=Publishing)

    @property
    def local(self) -> bool:
        return not any(argument.startswith("--runner") for argument in self.beam)

    def workers(self, pieces: int) -> int:
        """Worker processes for a job of so many pieces."""
        return max(1, min(self.jobs, pieces))

    def threads(self, pieces: int) -> int:
        """Threads for each worker, so that all of them together use every core once."""
        return max(1, (os.cpu_count() or 1) // self.workers(pieces)) if self.local else 1


def run_job(
    wire: Callable[[beam.Pipeline], object],
    options: RunOptions,
    pieces: int,
    apart: bool = False,
) -> None:
    """Wire the job's graph and run it to its end. Raises BuildError when the runner failed.

    `apart` asks for a worker process even for a single piece, so that its memory goes with it.
    """
    arguments = ["--no_save_main_session", *options.beam]
    runner = None
    workers = options.workers(pieces)
    if options.local:
        # The local runner, named outright: "DirectRunner" may choose one that downloads a program.
        runner = FnApiRunner(default_environment=_environment(workers > 1 or apart))
        arguments.append(f"--direct_num_workers={workers}")
    pipeline = beam.Pipeline(runner=runner, options=PipelineOptions(arguments))
    wire(pipeline)
    try:
        with without_broken_connections():
            state = pipeline.run().wait_until_finish()
    except RuntimeError as error:
        if LOST in str(error):
            raise BuildError(
                f"{LOST}, perhaps for want of memory; the same command goes on"
            ) from None
        raise
    if state is not None and str(state) not in {"DONE", "PipelineState.DONE"}:
        raise BuildError(f"the job ended as {state}")


def _environment(processes: bool) -> WorkerProcesses | None:
    """Worker processes, or None for this process."""
    if not processes:
        return None
    command = f"{sys.executable} -m pipelines.worker"
    environment: WorkerProcesses = WorkerProcesses.from_command_string(command)
    return environment


def check_beam_arguments(arguments: Sequence[str]) -> None:
    """Raises OptionError for an option that neither factmill nor Beam knows."""
    known = set(PipelineOptions([]).get_all_options())
    for position, argument in enumerate(arguments):
        name = argument.split("=", 1)[0]
        if name.startswith("-") and name.lstrip("-").removeprefix("no_") not in known:
            raise OptionError(f"{name}: no such option of factmill build, nor of Beam")
        if position == 0 and not name.startswith("-"):
            raise OptionError(f"{name}: not an option")


def shard_pieces(shards: int) -> Sequence[tuple[int, int]]:
    """One piece a shard."""
    return [(shard, shard) for shard in range(shards)]

"""Starting Beam jobs: runner, workers and options in one place.

The local runner starts processes of this machine. Any other one is handed the same graph: its
workers have factmill installed, and the store and the input are places that they share with this
process.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.options.pipeline_options_validator import PipelineOptionsValidator
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner
from apache_beam.runners.runner import PipelineResult, create_runner
from apache_beam.transforms.environments import SubprocessSDKEnvironment

from pipelines.failures import last_line, named_error
from pipelines.llm_options import LlmOptions
from pipelines.logs import no_logs
from pipelines.machines import DATAFLOW, PORTABLE, Machines, Step, remote_arguments, runner_of
from pipelines.publishing import Publishing
from pipelines.watching import Watch, watching
from schemas.errors import BuildError, OptionError
from schemas.layout import write_text


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
            _check_remote(self.beam)
            if runner == DATAFLOW and "--sdk_container_image" not in " ".join(self.beam):
                raise OptionError(
                    f"--runner={DATAFLOW}: needs --sdk_container_image IMAGE, which has factmill"
                )


def run_job(
    wire: Callable[[beam.Pipeline], object],
    options: RunOptions,
    step: Step,
    pieces: int,
    apart: bool = False,
) -> None:
    """Wire the job's graph and run it to its end. Raises BuildError when the runner failed, or what
    a worker raised of factmill's own errors.

    `apart` asks for a worker process even for a single piece, so that its memory goes with it.
    """
    if not options.local:
        _run_remote(wire, options, step)
        return
    workers = options.workers(pieces)
    # The local runner, named outright: "DirectRunner" may choose one that downloads a program.
    runner = FnApiRunner(default_environment=_environment(workers > 1 or apart))
    arguments = ["--no_save_main_session", *options.beam, f"--direct_num_workers={workers}"]
    pipeline = beam.Pipeline(runner=runner, options=PipelineOptions(arguments))
    wire(pipeline)
    _must_be_done(step, pipeline.run().wait_until_finish())


def _run_remote(wire: Callable[[beam.Pipeline], object], options: RunOptions, step: Step) -> None:
    """Hand the graph to the runner that was named, and wait. An interrupt cancels the job."""
    arguments = remote_arguments(options.beam, options.machines, step)
    result: PipelineResult | None = None

    def cancel() -> None:
        if result is not None:
            result.cancel()

    watched = runner_of(options.beam) == PORTABLE
    watch = Watch()
    try:
        with no_logs(), ExitStack() as stack:
            pipeline = beam.Pipeline(
                options=PipelineOptions(["--no_save_main_session", *arguments])
            )
            wire(pipeline)
            if watched:
                watch = stack.enter_context(watching(step.build, cancel))
            result = pipeline.run()
            _must_be_done(step, result.wait_until_finish())
    except KeyboardInterrupt:
        cancel()
        raise
    except Exception as error:  # each runner, and what it speaks with, has errors of its own
        if watch.lost:
            raise BuildError(
                f"the job {step.name} lost a worker (at {watch.lost}), perhaps for want of memory;"
                " the same command goes on"
            ) from error
        if isinstance(error, BuildError):
            raise
        raise named_error(str(error)) or _failed(step, error) from error


def _failed(step: Step, error: Exception) -> BuildError:
    """One line; the rest of what the runner said is kept beside the progress of the build."""
    path = step.build.work / "failed" / f"{step.name}.txt"
    write_text(path, "".join(traceback.format_exception(error)))
    said = last_line(str(error)) or type(error).__name__
    return BuildError(f"the job {step.name} failed: {said} (more in {path})")


def _must_be_done(step: Step, state: object) -> None:
    if state is not None and str(state) not in {"DONE", "PipelineState.DONE"}:
        raise BuildError(f"the job {step.name} ended as {state}")


def _environment(processes: bool) -> SubprocessSDKEnvironment | None:
    """Worker processes, or None for this process."""
    if not processes:
        return None
    return SubprocessSDKEnvironment.from_command_string(f"{sys.executable} -m pipelines.worker")


def check_beam_arguments(arguments: Sequence[str]) -> None:
    """Raises OptionError for an option that neither factmill nor Beam knows."""
    known = set(PipelineOptions([]).get_all_options())
    for position, argument in enumerate(arguments):
        name = argument.split("=", 1)[0]
        if name.startswith("-") and name.lstrip("-").removeprefix("no_") not in known:
            raise OptionError(f"{name}: no such option of factmill build, nor of Beam")
        if position == 0 and not name.startswith("-"):
            raise OptionError(f"{name}: not an option")


def _check_remote(beam_arguments: Sequence[str]) -> None:
    """Raises OptionError for what Beam finds wrong before a job is started."""
    options = PipelineOptions(list(beam_arguments))
    try:
        runner = create_runner(runner_of(beam_arguments))
        faults = PipelineOptionsValidator(options, runner).validate()
    except Exception as error:  # Beam may ask a cloud, whose libraries have errors of their own
        raise OptionError(last_line(str(error)) or type(error).__name__) from error
    if faults:
        raise OptionError("; ".join(" ".join(fault.split()) for fault in faults))


def shard_pieces(shards: int) -> Sequence[tuple[int, int]]:
    """One piece a shard."""
    return [(shard, shard) for shard in range(shards)]

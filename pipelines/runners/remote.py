"""Jobs on another runner than the local one: handing a graph over, waiting, and saying in a line
what became of it.

Workers there have factmill installed, and share store and input with this process; nothing but the
graph is sent to them. Knows nothing of what a job does.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from contextlib import ExitStack

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions, WorkerOptions
from apache_beam.options.pipeline_options_validator import PipelineOptionsValidator
from apache_beam.runners.runner import PipelineResult, create_runner

from factmill.pipelines.progress.quiet_logs import no_logs
from factmill.pipelines.runners.lost_workers import Watch, watching
from factmill.pipelines.runners.machines import (
    DATAFLOW,
    PORTABLE,
    BeamJob,
    Machines,
    remote_arguments,
    runner_of,
)
from factmill.pipelines.runners.worker_errors import last_line, named_error, runner_failures
from factmill.schemas.errors import BuildError, OptionError
from factmill.schemas.storage.atomic import write_text


def run_remote(
    wire: Callable[[beam.Pipeline], object],
    beam_arguments: Sequence[str],
    machines: Machines,
    step: BeamJob,
) -> None:
    """Hand the graph to the runner that was named, and wait. An interrupt cancels the job.

    Raises the error of factmill's own that a worker raised, or BuildError.
    """
    arguments = remote_arguments(beam_arguments, machines, step)
    failures: tuple[type[Exception], ...] = (BuildError, *runner_failures())
    result: PipelineResult | None = None

    def cancel() -> None:
        if result is not None:
            result.cancel()

    with no_logs(), ExitStack() as stack:
        pipeline = beam.Pipeline(options=PipelineOptions(["--no_save_main_session", *arguments]))
        wire(pipeline)
        watch = Watch()
        if runner_of(beam_arguments) == PORTABLE:
            watch = stack.enter_context(watching(step, cancel))
        try:
            result = pipeline.run()
            must_be_done(step, result.wait_until_finish())
        except KeyboardInterrupt:
            cancel()
            raise
        except failures as error:
            if watch.lost:
                raise BuildError(
                    f"the job {step.name} lost a worker (at {watch.lost}), perhaps for want of"
                    " memory; the same command goes on"
                ) from error
            if isinstance(error, BuildError):
                raise
            raise named_error(str(error)) or _failed(step, error) from error


def _failed(step: BeamJob, error: Exception) -> BuildError:
    """One line; the rest of what the runner said is kept beside the progress of the build."""
    path = step.build.work / "failed" / f"{step.name}.txt"
    write_text(path, "".join(traceback.format_exception(error)))
    said = last_line(str(error)) or type(error).__name__
    return BuildError(f"the job {step.name} failed: {said} (more in {path})")


def must_be_done(step: BeamJob, state: object) -> None:
    """Raises BuildError when a job ended in another state; a runner may also say none."""
    if state is not None and str(state) not in {"DONE", "PipelineState.DONE"}:
        raise BuildError(f"the job {step.name} ended as {state}")


def check_remote(beam_arguments: Sequence[str]) -> None:
    """Raises OptionError for what is found wrong before a job is started."""
    options, name = PipelineOptions(list(beam_arguments)), runner_of(beam_arguments)
    failures: tuple[type[Exception], ...] = (ImportError, AttributeError, *runner_failures())
    try:
        faults = PipelineOptionsValidator(options, create_runner(name)).validate()
    except failures as error:  # it looks for the runner, and may ask a cloud
        raise OptionError(last_line(str(error)) or type(error).__name__) from error
    if faults:
        raise OptionError("; ".join(" ".join(fault.split()) for fault in faults))
    if name == DATAFLOW and not options.view_as(WorkerOptions).sdk_container_image:
        raise OptionError(f"--runner={name}: needs --sdk_container_image IMAGE, which has factmill")

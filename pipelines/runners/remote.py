"""Jobs on a remote runner: submit the graph, wait, and report the result in one line.

Remote workers have factmill installed and share store and input with this process; only the graph
is sent to them. Knows nothing of what a job does.
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
from factmill.pipelines.runners.heartbeat_monitor import LostWorker, monitor_heartbeats
from factmill.pipelines.runners.runner_options import (
    DATAFLOW,
    PORTABLE,
    BeamJob,
    RemoteWorkers,
    remote_arguments,
    runner_of,
)
from factmill.pipelines.runners.worker_errors import clear_error, last_line, runner_failures
from factmill.schemas.errors import BuildError, OptionError
from factmill.schemas.storage.atomic import write_text


def run_remote(
    wire: Callable[[beam.Pipeline], object],
    beam_arguments: Sequence[str],
    workers: RemoteWorkers,
    job: BeamJob,
) -> None:
    """Submit the graph to the named runner, and wait. An interrupt cancels the job.

    Raises the FactmillError that a worker raised, or BuildError.
    """
    arguments = remote_arguments(beam_arguments, workers, job)
    failures: tuple[type[Exception], ...] = (BuildError, *runner_failures())
    result: PipelineResult | None = None

    def cancel() -> None:
        if result is not None:
            result.cancel()

    with no_logs(), ExitStack() as stack:
        pipeline = beam.Pipeline(options=PipelineOptions(["--no_save_main_session", *arguments]))
        wire(pipeline)
        lost = LostWorker()
        if runner_of(beam_arguments) == PORTABLE:
            lost = stack.enter_context(monitor_heartbeats(job, cancel))
        try:
            result = pipeline.run()
            must_be_done(job, result.wait_until_finish())
        except KeyboardInterrupt:
            cancel()
            raise
        except failures as error:
            if lost.task:
                raise BuildError(
                    f"the job {job.name} lost a worker (at {lost.task}), perhaps for want of"
                    " memory; run the same command again"
                ) from error
            if isinstance(error, BuildError):
                raise
            raise clear_error(error, job.build.store) or _failed(job, error) from error


def _failed(job: BeamJob, error: Exception) -> BuildError:
    """A one-line error. The runner's full text is kept in the build."""
    path = job.build.work / "failed" / f"{job.name}.txt"
    write_text(path, "".join(traceback.format_exception(error)))
    reason = last_line(str(error)) or type(error).__name__
    return BuildError(f"the job {job.name} failed: {reason} (more in {path})")


def must_be_done(job: BeamJob, state: object) -> None:
    """Raises BuildError when a job ended in a state other than DONE. Some runners give no state."""
    if state is not None and str(state) not in {"DONE", "PipelineState.DONE"}:
        raise BuildError(f"the job {job.name} ended as {state}")


def check_remote(beam_arguments: Sequence[str]) -> None:
    """Raises OptionError for errors that can be found before a job starts."""
    options, name = PipelineOptions(list(beam_arguments)), runner_of(beam_arguments)
    failures: tuple[type[Exception], ...] = (ImportError, AttributeError, *runner_failures())
    try:
        # This loads the runner and may contact a cloud.
        faults = PipelineOptionsValidator(options, create_runner(name)).validate()
    except failures as error:
        raise OptionError(last_line(str(error)) or type(error).__name__) from error
    if faults:
        raise OptionError("; ".join(" ".join(fault.split()) for fault in faults))
    if name == DATAFLOW and not options.view_as(WorkerOptions).sdk_container_image:
        raise OptionError(f"--runner={name}: needs --sdk_container_image IMAGE, which has factmill")

"""A job whose workers fail, each time of another error. Worker processes import this module."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

import apache_beam as beam

from factmill.pipelines.job import Job
from factmill.pipelines.runners.run_job import run_job
from factmill.pipelines.runners.runner_options import BeamJob
from factmill.schemas.errors import (
    BuildError,
    CorruptStore,
    MissingExtra,
    OptionError,
    ServerDown,
    Unreachable,
)

TASKS = 4
ERRORS: dict[str, Callable[[], BaseException]] = {
    "build": lambda: BuildError("shard 3: nothing adds up"),
    "corrupt": lambda: CorruptStore("10_pages/part.parquet: is cut short"),
    "unreachable": lambda: Unreachable("s3://bucket/store: does not answer"),
    "option": lambda: OptionError("--encoder tiny: no such model"),
    "extra": lambda: MissingExtra("openai", "llm"),
    "disk": lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "part.parquet"),
    "llm": lambda: ServerDown("the LLM server at http://h/v1 answers nobody"),
    "two lines": lambda: BuildError("the first\nand the second"),
    "interrupt": KeyboardInterrupt,
    "bug": lambda: KeyError("a bug"),
}


class Fail(beam.DoFn):  # type: ignore[misc]
    """Raises the error of this name, as code does that met another one before."""

    def __init__(self, name: str) -> None:
        self._name = name

    def process(self, task: int) -> list[int]:
        try:
            raise ValueError(f"task {task}: the cause")
        except ValueError as cause:
            raise ERRORS[self._name]() from cause


def failing_job(name: str, own_process: bool = False) -> Callable[[Job], None]:
    """A job that hands tasks to workers, all of which fail; `own_process`, if not in this one."""

    def run(job: Job) -> None:
        def wire(pipeline: beam.Pipeline) -> None:
            (
                pipeline
                | "Tasks" >> beam.Create(range(TASKS), reshuffle=False)
                | "Spread over workers" >> beam.Reshuffle()
                | "Fail" >> beam.ParDo(Fail(name))
            )

        beam_job = BeamJob(job.build, "clean")
        run_job(wire, job.options, beam_job, TASKS, own_process=own_process)

    return run

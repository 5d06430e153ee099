"""Resumable tasks: each runs once, in parallel, and its counts are stored as a file and as metrics.

Knows nothing of what a task does. Finished tasks are skipped, so a killed job resumes where it
stopped. The outputs of a task have their final names before it counts as finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
from apache_beam.metrics import Metrics

from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.progress_events import progress_to
from factmill.transforms.tasks.heartbeat import heartbeat
from factmill.transforms.tasks.task_results import TaskResults

# A function that runs one task and returns its counts. It must be importable, so that it pickles by
# reference.
Work = Callable[[Any], StageCounts]


def run_task(numbered: tuple[int, Iterable[Any]], build: BuildDir, step: str, work: Work) -> int:
    """Run a numbered task unless it is finished; returns its number."""
    number, (task,) = numbered
    results = TaskResults.of(build, step)
    if not results.is_finished(number):
        with heartbeat(build, f"{step}-{number}"), progress_to(results.listener(number)):
            counts = work(task)
        results.finish(number, counts)
        _count_for_beam(step, counts)
    return number


def _count_for_beam(step: str, counts: StageCounts) -> None:
    """Add the counts to the job's metrics, which runners display."""
    amounts = {"in": counts.records_in, "out": counts.records_out}
    amounts |= {f"rejected_{reason}": number for reason, number in counts.rejected.items()}
    for name, amount in amounts.items():
        Metrics.counter("factmill", f"{step}_{name}").inc(amount)


@dataclass(eq=False)
class RunTasks(beam.PTransform):  # type: ignore[misc]
    """(number, task) -> number, once `work(task)` has run. Each number has one task."""

    build: BuildDir
    step: str
    work: Work

    def expand(self, tasks: beam.PCollection) -> beam.PCollection:
        # Distributes tasks like Reshuffle, in a third of its steps: a task already has a key, and
        # no window, timestamp or pane to restore. Each step takes time on every runner.
        return (
            tasks
            | "Spread over workers" >> beam.GroupByKey()
            | "Run task" >> beam.Map(run_task, self.build, self.step, self.work)
        )


def wait_for(task: tuple[int, Any], _done: Any) -> tuple[int, Any]:
    """The numbered task. `_done` is a side input that Beam waits for; its value does not matter."""
    return task

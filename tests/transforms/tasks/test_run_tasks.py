from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.metrics import MetricsFilter
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.testing.util import assert_that, equal_to

from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.transforms.tasks.run_tasks import RunTasks
from factmill.transforms.tasks.task_results import TaskResults


@dataclass(frozen=True)
class LogTask:
    """Work that leaves a line for each time it is done, and fails at one task if told so."""

    log: Path
    fails_at: int = -1

    def __call__(self, task: int) -> StageCounts:
        if task == self.fails_at:
            raise RuntimeError("the machine went away")
        with self.log.open("a") as stream:
            stream.write(f"{task}\n")
        return StageCounts(10, 7, {"bad": 3}, {"t": task})


def _done(log: Path) -> list[int]:
    return sorted(int(line) for line in log.read_text().split()) if log.exists() else []


def _run(build: BuildDir, work: LogTask, tasks: range) -> None:
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        numbers = (
            pipeline | beam.Create([(task, task) for task in tasks]) | RunTasks(build, "step", work)
        )
        assert_that(numbers, equal_to(list(tasks)))


def test_each_task_runs_once_and_a_finished_one_never_again(tmp_path: Path) -> None:
    build, log = BuildDir(tmp_path / "b"), tmp_path / "log"
    TaskResults.of(build, "step").finish(1, StageCounts(1, 1, {}, {"t": 100}))
    _run(build, LogTask(log), range(4))
    assert _done(log) == [0, 2, 3]
    _run(build, LogTask(log), range(5))
    assert _done(log) == [0, 2, 3, 4]
    total = TaskResults.of(build, "step").total()
    assert total == StageCounts(41, 29, {"bad": 12}, {"t": 100 + 0 + 2 + 3 + 4})


def _counters(build: BuildDir, work: LogTask, tasks: range) -> dict[str, int]:
    """What a run counts for Beam."""
    pipeline = beam.Pipeline(runner=FnApiRunner())
    _ = pipeline | beam.Create([(task, task) for task in tasks]) | RunTasks(build, "step", work)
    result = pipeline.run()
    result.wait_until_finish()
    wanted = MetricsFilter().with_namespace("factmill")
    found = result.metrics().query(wanted)["counters"]
    return {counter.key.metric.name: counter.committed for counter in found}


def test_metrics_count_what_this_run_did(tmp_path: Path) -> None:
    build, work = BuildDir(tmp_path / "b"), LogTask(tmp_path / "log")
    counted = _counters(build, work, range(3))
    assert counted == {"step_in": 30, "step_out": 21, "step_rejected_bad": 9}
    assert _counters(build, work, range(4)) == {
        "step_in": 10, "step_out": 7, "step_rejected_bad": 3,
    }  # fmt: skip


def test_failed_task_is_not_finished_and_runs_when_resumed(tmp_path: Path) -> None:
    build, log = BuildDir(tmp_path / "b"), tmp_path / "log"
    with pytest.raises(RuntimeError, match="went away"):
        _run(build, LogTask(log, fails_at=2), range(3))
    results = TaskResults.of(build, "step")
    assert not results.is_finished(2)
    finished = [task for task in range(3) if results.is_finished(task)]
    assert set(finished) <= set(_done(log))
    _run(build, LogTask(log), range(3))
    assert results.finished() == 3
    assert _done(log).count(2) == 1

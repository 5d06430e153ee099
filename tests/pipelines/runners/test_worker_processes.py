"""A worker process that is lost fails the job, soon and with a line."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import apache_beam as beam
import pytest

from factmill.pipelines.runners import worker_processes
from factmill.pipelines.runners.run_job import RunOptions, run_job
from factmill.pipelines.runners.runner_options import BeamJob
from factmill.schemas.errors import BuildError
from factmill.schemas.layout import BuildDir


def _die(task: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return task


def _note(task: int, folder: Path) -> int:
    (folder / str(task)).write_text(str(os.getpid()))
    return task


def test_run_job_whose_only_worker_is_killed_fails_with_a_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | beam.Create(range(4), reshuffle=False)
            | beam.Reshuffle()
            | "Die" >> beam.Map(_die)
        )

    with pytest.raises(
        BuildError, match=r"^a worker process was lost, .* run the same command again$"
    ):
        run_job(wire, RunOptions(1), BeamJob(BuildDir(tmp_path), "dying"), 1, own_process=True)
    assert "Traceback" not in capfd.readouterr().err


def test_run_job_whose_worker_lives_ends_in_its_process(tmp_path: Path) -> None:
    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | beam.Create(range(4), reshuffle=False)
            | beam.Reshuffle()
            | "Note" >> beam.Map(_note, tmp_path)
        )

    run_job(wire, RunOptions(1), BeamJob(BuildDir(tmp_path), "noting"), 1, own_process=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1", "2", "3"]
    (process,) = {path.read_text() for path in tmp_path.iterdir()}
    assert process != str(os.getpid())


def _die_or_stay(task: int, folder: Path) -> int:
    """The first task dies when the second has begun, which would take an hour."""
    if task:
        (folder / "begun").touch()
        time.sleep(3600)
    while not (folder / "begun").exists():
        time.sleep(0.01)
    return _die(task)


def test_run_job_that_failed_does_not_wait_for_a_task_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | beam.Create(range(2), reshuffle=False)
            | beam.Reshuffle()
            | "Die or stay" >> beam.Map(_die_or_stay, tmp_path)
        )

    monkeypatch.setattr(worker_processes, "_SECONDS_TO_END", 0.5)
    with pytest.raises(BuildError, match=r"^a worker process was lost, "):
        run_job(wire, RunOptions(2), BeamJob(BuildDir(tmp_path), "staying"), 2)
    assert "Traceback" not in capfd.readouterr().err

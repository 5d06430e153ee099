"""A worker process that is lost fails the job, soon and with a line."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import apache_beam as beam
import pytest

from pipelines.machines import Step
from pipelines.running import RunOptions, run_job
from schemas.errors import BuildError
from schemas.layout import BuildDir


def _die(piece: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return piece


def _note(piece: int, folder: Path) -> int:
    (folder / str(piece)).write_text(str(os.getpid()))
    return piece


@pytest.mark.parametrize("jobs", [1, 2])
def test_run_job_whose_worker_is_killed_fails_with_a_line(
    jobs: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | beam.Create(range(4), reshuffle=False)
            | beam.Reshuffle()
            | "Die" >> beam.Map(_die)
        )

    with pytest.raises(BuildError, match=r"^a worker process was lost, .* goes on$"):
        run_job(wire, RunOptions(jobs), Step(BuildDir(tmp_path), "dying"), jobs, apart=True)
    assert "Traceback" not in capfd.readouterr().err


def test_run_job_whose_workers_live_ends_in_their_processes(tmp_path: Path) -> None:
    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | beam.Create(range(4), reshuffle=False)
            | beam.Reshuffle()
            | "Note" >> beam.Map(_note, tmp_path)
        )

    run_job(wire, RunOptions(2), Step(BuildDir(tmp_path), "noting"), 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1", "2", "3"]
    assert {path.read_text() for path in tmp_path.iterdir()} != {str(os.getpid())}

"""What becomes of jobs on runners that lose workers, or whose workers see another store."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import apache_beam as beam
import pytest

import factmill.pipelines.runners.heartbeat_monitor
from factmill.pipelines.build import build
from factmill.pipelines.runners.remote import run_remote
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.runners.runner_options import BeamJob, RemoteWorkers
from factmill.pipelines.settings import BuildOptions, settings_for
from factmill.schemas.errors import BuildError
from factmill.schemas.layout import BuildDir, Store
from factmill.transforms.tasks.heartbeat import beat_file
from tests.conftest import SAMPLES

PORTABLE = ("--runner=PortableRunner", "--job_endpoint=localhost:1")


class _Waiting:
    """A job that goes on for ever when it is not cancelled."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()

    def wait_until_finish(self) -> None:
        assert self.cancelled.wait(60)
        raise RuntimeError("Pipeline failed in state CANCELLED")

    def cancel(self) -> None:
        self.cancelled.set()


def test_job_that_lost_a_worker_is_cancelled_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built, job = BuildDir(tmp_path / "builds" / "1"), _Waiting()

    def run(_: beam.Pipeline) -> _Waiting:
        # A worker begins with a task, and is gone.
        beat_file(built, "encode-3").write_text("0")
        return job

    monkeypatch.setattr(beam.Pipeline, "run", run)
    monkeypatch.setattr(
        factmill.pipelines.runners.heartbeat_monitor, "HEARTBEAT_TIMEOUT_SECONDS", 0.1
    )
    with pytest.raises(BuildError, match=r"the job encode lost a worker \(at encode-3\)"):
        run_remote(lambda _: None, PORTABLE, RemoteWorkers(), BeamJob(built, "encode"))
    assert not beat_file(built, "encode-3").parent.exists()


def test_job_whose_workers_write_elsewhere_ends_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Finished:
        def wait_until_finish(self) -> str:
            return "DONE"

    monkeypatch.setattr(beam.Pipeline, "run", lambda _: Finished())
    shutil.copytree(SAMPLES / "html" / "museum", tmp_path / "pages")
    store = Store(tmp_path / "store")
    settings = settings_for(
        store, BuildOptions(inputs=[str(tmp_path / "pages")], code_bits=64, shards=2)
    )
    with pytest.raises(BuildError, match="all workers must reach the storage of store"):
        build(store, settings, RunOptions(1, PORTABLE), full=False)
    assert not store.current.exists()

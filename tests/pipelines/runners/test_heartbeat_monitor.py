"""Heartbeats of workers elsewhere: one worker that is lost, and none that begins."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from factmill.pipelines.runners import heartbeat_monitor as module
from factmill.pipelines.runners.heartbeat_monitor import monitor_heartbeats
from factmill.pipelines.runners.runner_options import BeamJob
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.atomic import write_text
from factmill.transforms.tasks.heartbeat import beat_file


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BeamJob:
    monkeypatch.setattr(module, "HEARTBEAT_TIMEOUT_SECONDS", 0.2)
    return BeamJob(BuildDir(tmp_path / "build"), "clean")


def test_worker_whose_heartbeat_stops_cancels_the_job(job: BeamJob) -> None:
    cancelled = threading.Event()
    with monitor_heartbeats(job, cancelled.set) as lost:
        write_text(beat_file(job.build, "clean-shards-1"), "0")
        assert cancelled.wait(30)
        assert lost.task == "clean-shards-1"
    assert not beat_file(job.build, "clean-shards-1").parent.exists()


def test_that_no_worker_begins_is_warned_of_once_and_waited_for(
    job: BeamJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, twice = [], threading.Event()
    monkeypatch.setattr(module, "warn", lambda *words: said.append(words))
    looked = []

    def lost(_heartbeats: object, _seconds: float) -> str:
        looked.append(1)
        if len(looked) == 3 * module._CHECKS_PER_TIMEOUT:
            twice.set()
        return ""

    monkeypatch.setattr(module.Heartbeats, "lost_task", lost)
    with monitor_heartbeats(job, lambda: pytest.fail("cancelled")) as lost:
        assert twice.wait(30)
    assert said == [("clean", "no worker has begun for 0 s; still waiting")]
    assert lost.task == ""

"""Watching workers that are elsewhere: one that is lost, and none that comes."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from factmill.pipelines.runners import lost_workers as module
from factmill.pipelines.runners.lost_workers import watching
from factmill.pipelines.runners.machines import BeamJob
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.atomic import write_text
from factmill.transforms.tasks.heartbeat import beat_file


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BeamJob:
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.2)
    return BeamJob(BuildDir(tmp_path / "build"), "clean")


def test_worker_whose_heartbeat_stays_the_same_cancels_the_job(step: BeamJob) -> None:
    cancelled = threading.Event()
    with watching(step, cancelled.set) as watch:
        write_text(beat_file(step.build, "clean-shards-1"), "0")
        assert cancelled.wait(30)
        assert watch.lost == "clean-shards-1"
    assert not beat_file(step.build, "clean-shards-1").parent.exists()


def test_that_no_worker_comes_is_said_once_and_waited_for(
    step: BeamJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, twice = [], threading.Event()
    monkeypatch.setattr(module, "warn", lambda *words: said.append(words))
    looked = []

    def lost(_heartbeats: object, _seconds: float) -> str:
        looked.append(1)
        if len(looked) == 3 * module._LOOKS:
            twice.set()
        return ""

    monkeypatch.setattr(module.Heartbeats, "lost_task", lost)
    with watching(step, lambda: pytest.fail("cancelled")) as watch:
        assert twice.wait(30)
    assert said == [("clean", "no worker has begun for 0 s; still waiting")]
    assert watch.lost == ""

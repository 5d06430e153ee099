from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

import factmill.transforms.tasks.heartbeat
from factmill.schemas.layout import BuildDir
from factmill.transforms.tasks.heartbeat import Heartbeats, beat_file, heartbeat


@pytest.fixture
def build(tmp_path: Path) -> BuildDir:
    return BuildDir(tmp_path / "b")


def beats_left(build: BuildDir) -> set[str]:
    return {path.stem for path in beat_file(build, "any").parent.glob("*.beat")}


def wait_for(build: BuildDir, name: str, other_than: str = "") -> str:
    """The content of a heartbeat, once it is there and another."""
    path = beat_file(build, name)
    waited = threading.Event()
    for _ in range(1000):
        if path.is_file() and (content := path.read_text()) != other_than:
            return content
        waited.wait(0.01)
    raise AssertionError(f"no new heartbeat of {name}")


def test_heartbeats_are_sent_when_asked_for_and_only_meanwhile(build: BuildDir) -> None:
    with heartbeat(build, "clean-1"):
        assert not beat_file(build, "clean-1").parent.exists()
    Heartbeats(build).request()
    with heartbeat(build, "clean-1"):
        wait_for(build, "clean-1")
    assert beats_left(build) == set()


def test_heartbeats_end_when_the_work_fails(build: BuildDir) -> None:
    Heartbeats(build).request()

    def fail() -> None:
        with heartbeat(build, "clean-1"):
            wait_for(build, "clean-1")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert beats_left(build) == set()


def test_lost_task_is_one_whose_heartbeat_stays_the_same(
    build: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(
        factmill.transforms.tasks.heartbeat, "time", SimpleNamespace(monotonic=lambda: clock[0])
    )
    heartbeats = Heartbeats(build)
    heartbeats.request()
    dead, living = (beat_file(build, f"s-{n}") for n in (1, 2))
    for at, count in ((0.0, "0"), (60.0, "1"), (100.0, "2")):
        clock[0] = at
        dead.write_text("0")
        living.write_text(count)
        assert heartbeats.lost_task(100) == ""
    clock[0] = 100.5
    assert heartbeats.lost_task(100) == "s-1"
    dead.write_text("1")
    assert heartbeats.lost_task(100) == ""
    heartbeats.request()
    assert beats_left(build) == set()


def test_a_living_worker_changes_its_heartbeat(
    build: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factmill.transforms.tasks.heartbeat, "SECONDS_BETWEEN_BEATS", 0.01)
    Heartbeats(build).request()
    with heartbeat(build, "encode-7"):
        first = wait_for(build, "encode-7")
        assert wait_for(build, "encode-7", first) != first

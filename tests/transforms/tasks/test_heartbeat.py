from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

import factmill.transforms.tasks.heartbeat
from factmill.schemas.layout import BuildDir
from factmill.transforms.tasks.heartbeat import Signs, signs_of_life


@pytest.fixture
def build(tmp_path: Path) -> BuildDir:
    return BuildDir(tmp_path / "b")


def signs_left(build: BuildDir) -> set[str]:
    return {path.name for path in (build.work / "alive").glob("*.sign")}


def wait_for(build: BuildDir, name: str, other_than: str = "") -> str:
    """The content of a sign, once it is there and another."""
    path = build.work / "alive" / f"{name}.sign"
    waited = threading.Event()
    for _ in range(1000):
        if path.is_file() and (content := path.read_text()) != other_than:
            return content
        waited.wait(0.01)
    raise AssertionError(f"no new sign of {name}")


def test_signs_are_left_when_somebody_asked_and_only_meanwhile(build: BuildDir) -> None:
    with signs_of_life(build, "clean-1"):
        assert not (build.work / "alive").exists()
    Signs(build).ask()
    with signs_of_life(build, "clean-1"):
        wait_for(build, "clean-1")
    assert signs_left(build) == set()


def test_signs_go_when_the_work_fails(build: BuildDir) -> None:
    Signs(build).ask()

    def fail() -> None:
        with signs_of_life(build, "clean-1"):
            wait_for(build, "clean-1")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert signs_left(build) == set()


def test_lost_is_a_piece_whose_sign_stays_as_it_is(
    build: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(
        factmill.transforms.tasks.heartbeat, "time", SimpleNamespace(monotonic=lambda: clock[0])
    )
    signs = Signs(build)
    signs.ask()
    dead, living = (build.work / "alive" / f"s-{n}.sign" for n in (1, 2))
    for at, count in ((0.0, "0"), (60.0, "1"), (100.0, "2")):
        clock[0] = at
        dead.write_text("0")
        living.write_text(count)
        assert signs.lost(100) == ""
    clock[0] = 100.5
    assert signs.lost(100) == "s-1"
    dead.write_text("1")
    assert signs.lost(100) == ""
    signs.ask()
    assert signs_left(build) == set()


def test_a_living_worker_changes_its_sign(build: BuildDir, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factmill.transforms.tasks.heartbeat, "SECONDS_BETWEEN_SIGNS", 0.01)
    Signs(build).ask()
    with signs_of_life(build, "encode-7"):
        first = wait_for(build, "encode-7")
        assert wait_for(build, "encode-7", first) != first

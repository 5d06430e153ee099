from __future__ import annotations

from pathlib import Path

import pytest

import factmill.transforms.tasks.task_results
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.progress_events import ProgressEvent
from factmill.transforms.tasks.task_results import TaskResults, forget_results


def test_results_without_folder_are_none(tmp_path: Path) -> None:
    results = TaskResults.of(BuildDir(tmp_path), "clean")
    assert not results.is_finished(0)
    assert results.finished() == 0
    assert results.total() == StageCounts()


def test_finished_tasks_are_summed(tmp_path: Path) -> None:
    results = TaskResults.of(BuildDir(tmp_path), "clean")
    results.finish(0, StageCounts(5, 3, {"a": 2}, {"t": 3}))
    results.finish(1_000_000, StageCounts(4, 2, {"a": 1, "b": 1}, {"u": 9}))
    assert [results.is_finished(task) for task in (0, 1, 1_000_000)] == [True, False, True]
    assert results.finished() == 2
    assert results.total() == StageCounts(9, 5, {"a": 3, "b": 1}, {"t": 3, "u": 9})


def test_task_finished_twice_counts_once(tmp_path: Path) -> None:
    results = TaskResults.of(BuildDir(tmp_path), "clean")
    results.finish(2, StageCounts(1, 1))
    results.finish(2, StageCounts(7, 7))
    assert results.total() == StageCounts(7, 7)


def test_steps_are_apart_and_half_written_files_do_not_count(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    TaskResults.of(build, "clean").finish(0, StageCounts(1, 1))
    other = TaskResults.of(build, "extract")
    assert not other.is_finished(0)
    other.folder.mkdir(parents=True)
    (other.folder / ".000003.json.ab12.tmp").write_text('{"in": 1')
    assert other.finished() == 0
    assert other.total() == StageCounts()
    assert build.work in other.folder.parents


def test_running_tasks_show_their_last_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [10.0]
    monkeypatch.setattr(factmill.transforms.tasks.task_results.time, "monotonic", lambda: now[0])
    results = TaskResults.of(BuildDir(tmp_path), "learn")
    assert results.running() == []
    first, second = results.listener(0), results.listener(1)
    first(ProgressEvent("gathering", 0, 1))  # most tasks take a moment
    assert results.running() == []
    now[0] += 5
    first(ProgressEvent("encoding", 1, 10))
    now[0] += 0.5
    first(ProgressEvent("encoding", 2, 10))  # too soon after the last
    second(ProgressEvent("", 3, 4))
    assert results.running() == [ProgressEvent("encoding", 1, 10), ProgressEvent("", 3, 4)]
    first(ProgressEvent("training", 0, 5))
    results.finish(1, StageCounts(1, 1))
    assert results.running() == [ProgressEvent("training", 0, 5)]
    assert (results.finished(), results.total()) == (1, StageCounts(1, 1))
    results.listener(0)  # another attempt
    assert results.running() == []


def test_noted_tasks_are_no_results_and_go_with_them(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    results = TaskResults.of(build, "clean")
    assert results.noted_tasks() is None
    results.note_tasks("these")
    assert results.noted_tasks() == "these"
    assert (results.finished(), results.by_task(), results.running()) == (0, {}, [])

    TaskResults.of(build, "extract").finish(0, StageCounts(1, 1))
    forget_results(build)
    assert results.noted_tasks() is None
    assert not TaskResults.of(build, "extract").is_finished(0)

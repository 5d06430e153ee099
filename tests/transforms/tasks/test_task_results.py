from __future__ import annotations

from pathlib import Path

import pytest

import factmill.transforms.tasks.task_results
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.progress_events import ProgressEvent
from factmill.transforms.tasks.task_results import Progress


def test_progress_without_folder_has_done_nothing(tmp_path: Path) -> None:
    progress = Progress.of(BuildDir(tmp_path), "clean")
    assert not progress.done(0)
    assert progress.finished() == 0
    assert progress.total() == StageCounts()


def test_progress_finished_pieces_are_done_and_summed(tmp_path: Path) -> None:
    progress = Progress.of(BuildDir(tmp_path), "clean")
    progress.finish(0, StageCounts(5, 3, {"a": 2}, {"t": 3}))
    progress.finish(1_000_000, StageCounts(4, 2, {"a": 1, "b": 1}, {"u": 9}))
    assert [progress.done(piece) for piece in (0, 1, 1_000_000)] == [True, False, True]
    assert progress.finished() == 2
    assert progress.total() == StageCounts(9, 5, {"a": 3, "b": 1}, {"t": 3, "u": 9})


def test_progress_piece_finished_twice_counts_once(tmp_path: Path) -> None:
    progress = Progress.of(BuildDir(tmp_path), "clean")
    progress.finish(2, StageCounts(1, 1))
    progress.finish(2, StageCounts(7, 7))
    assert progress.total() == StageCounts(7, 7)


def test_progress_steps_are_apart_and_half_written_files_do_not_count(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    Progress.of(build, "clean").finish(0, StageCounts(1, 1))
    other = Progress.of(build, "extract")
    assert not other.done(0)
    other.folder.mkdir(parents=True)
    (other.folder / ".000003.json.ab12.tmp").write_text('{"in": 1')
    assert other.finished() == 0
    assert other.total() == StageCounts()
    assert build.work in other.folder.parents


def test_progress_pieces_on_their_way_say_how_far_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [10.0]
    monkeypatch.setattr(factmill.transforms.tasks.task_results.time, "monotonic", lambda: now[0])
    progress = Progress.of(BuildDir(tmp_path), "learn")
    assert progress.notes() == []
    first, second = progress.listener(0), progress.listener(1)
    first(ProgressEvent("gathering", 0, 1))  # most pieces are done in a moment
    assert progress.notes() == []
    now[0] += 5
    first(ProgressEvent("encoding", 1, 10))
    now[0] += 0.5
    first(ProgressEvent("encoding", 2, 10))  # too soon after the last
    second(ProgressEvent("", 3, 4))
    assert progress.notes() == [ProgressEvent("encoding", 1, 10), ProgressEvent("", 3, 4)]
    first(ProgressEvent("training", 0, 5))
    progress.finish(1, StageCounts(1, 1))
    assert progress.notes() == [ProgressEvent("training", 0, 5)]
    assert (progress.finished(), progress.total()) == (1, StageCounts(1, 1))
    progress.listener(0)  # another attempt
    assert progress.notes() == []

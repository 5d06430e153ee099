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
from factmill.transforms.tasks.run_tasks import DoPieces
from factmill.transforms.tasks.task_results import Progress


@dataclass(frozen=True)
class Note:
    """Work that leaves a line for each time it is done, and fails at one piece if told so."""

    log: Path
    fails_at: int = -1

    def __call__(self, piece: int) -> StageCounts:
        if piece == self.fails_at:
            raise RuntimeError("the machine went away")
        with self.log.open("a") as stream:
            stream.write(f"{piece}\n")
        return StageCounts(10, 7, {"bad": 3}, {"t": piece})


def _done(log: Path) -> list[int]:
    return sorted(int(line) for line in log.read_text().split()) if log.exists() else []


def _run(build: BuildDir, work: Note, pieces: range) -> None:
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        numbers = (
            pipeline
            | beam.Create([(piece, piece) for piece in pieces])
            | DoPieces(build, "step", work)
        )
        assert_that(numbers, equal_to(list(pieces)))


def test_do_pieces_does_each_once_and_a_finished_one_never_again(tmp_path: Path) -> None:
    build, log = BuildDir(tmp_path / "b"), tmp_path / "log"
    Progress.of(build, "step").finish(1, StageCounts(1, 1, {}, {"t": 100}))
    _run(build, Note(log), range(4))
    assert _done(log) == [0, 2, 3]
    _run(build, Note(log), range(5))
    assert _done(log) == [0, 2, 3, 4]
    total = Progress.of(build, "step").total()
    assert total == StageCounts(41, 29, {"bad": 12}, {"t": 100 + 0 + 2 + 3 + 4})


def _counters(build: BuildDir, work: Note, pieces: range) -> dict[str, int]:
    """What a run counts for Beam."""
    pipeline = beam.Pipeline(runner=FnApiRunner())
    _ = pipeline | beam.Create([(piece, piece) for piece in pieces]) | DoPieces(build, "step", work)
    result = pipeline.run()
    result.wait_until_finish()
    wanted = MetricsFilter().with_namespace("factmill")
    found = result.metrics().query(wanted)["counters"]
    return {counter.key.metric.name: counter.committed for counter in found}


def test_do_pieces_counts_for_beam_what_this_run_did(tmp_path: Path) -> None:
    build, work = BuildDir(tmp_path / "b"), Note(tmp_path / "log")
    counted = _counters(build, work, range(3))
    assert counted == {"step_in": 30, "step_out": 21, "step_rejected_bad": 9}
    assert _counters(build, work, range(4)) == {
        "step_in": 10, "step_out": 7, "step_rejected_bad": 3,
    }  # fmt: skip


def test_do_pieces_failed_piece_is_not_done_and_is_done_when_resumed(tmp_path: Path) -> None:
    build, log = BuildDir(tmp_path / "b"), tmp_path / "log"
    with pytest.raises(RuntimeError, match="went away"):
        _run(build, Note(log, fails_at=2), range(3))
    progress = Progress.of(build, "step")
    assert not progress.done(2)
    finished = [piece for piece in range(3) if progress.done(piece)]
    assert set(finished) <= set(_done(log))
    _run(build, Note(log), range(3))
    assert progress.finished() == 3
    assert _done(log).count(2) == 1

"""How far a stage is: steps in turn, phases of a task, rates, and bars on a terminal."""

from __future__ import annotations

import os
import pty
import re
import sys
import threading

import pytest

from factmill.pipelines.progress import progress_bars, stage_progress
from factmill.pipelines.progress.progress_bars import ProgressBars
from factmill.pipelines.progress.stage_progress import StageProgress, Step, StepProgress, as_text
from factmill.schemas.progress_events import ProgressEvent


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(stage_progress.time, "monotonic", lambda: now[0])
    return now


def test_stage_progress_shows_the_step_that_runs_with_its_own_rate(clock: list[float]) -> None:
    done = {"read": 2, "compare": 0, "write": 0}
    steps = [Step(name, 10, lambda name=name: done[name]) for name in ("read", "write")]  # type: ignore[misc]
    steps.insert(1, Step("compare", 1, lambda: done["compare"]))
    progress = StageProgress(steps)
    assert (progress.done, progress.total) == (2, 21)
    assert progress.look() == StepProgress("read", 2, 10, None, None)
    clock[0] += 4
    done["read"] = 4
    assert progress.look() == StepProgress("read", 4, 10, 0.5, 12.0)
    clock[0] += 96
    done["read"] = 10
    assert progress.look() == StepProgress("compare", 0, 1, None, None)
    done["compare"] = 1
    assert progress.look() == StepProgress("write", 0, 10, None, None)
    clock[0] += 1
    done["write"] = 5
    assert progress.look() == StepProgress("write", 5, 10, 5.0, 1.0)
    done["write"] = 10
    assert progress.look().done == 10
    assert (progress.done, progress.total) == (21, 21)


def test_stage_progress_counts_parts_of_tasks_and_shows_phases_of_a_single_one(
    clock: list[float],
) -> None:
    running = [
        ProgressEvent("", 30, 100),
        ProgressEvent("records", 1200, 0),
        ProgressEvent("records", 34, 0),
        ProgressEvent("", 1, 2),
    ]
    now = StageProgress([Step("", 16, lambda: 3, lambda: running)]).look()
    assert now.done == pytest.approx(3.8)
    assert as_text(now) == "3.8 of 16 and 1,234 records"

    events = [ProgressEvent("encoding", 0, 1000)]
    progress = StageProgress([Step("", 1, lambda: 0, lambda: events)])
    clock[0] += 2
    events[0] = ProgressEvent("encoding", 500, 1000)
    assert progress.look() == StepProgress("encoding", 500, 1000, 250.0, 2.0)
    # It says the same twice: the second time begins anew.
    events[0] = ProgressEvent("encoding", 10, 40)
    assert progress.look() == StepProgress("encoding", 10, 40, None, None)


def test_stage_progress_of_a_task_of_unknown_size_has_a_rate(clock: list[float]) -> None:
    events = [ProgressEvent("records", 0, 0)]
    progress = StageProgress([Step("extract", 1, lambda: 0, lambda: events)])
    clock[0] += 10
    events[0] = ProgressEvent("records", 700, 0)
    assert progress.look() == StepProgress("extract records", 700, 0, 70.0, None)


def test_stage_progress_of_nothing_is_done() -> None:
    assert (
        StageProgress([]).look()
        == StageProgress([Step("", 0, lambda: 0)]).look()
        == StepProgress("", 0, 0, None, None)
    )


def test_as_text_says_what_is_known() -> None:
    assert as_text(StepProgress("", 3, 16, None, None)) == "3 of 16"
    assert as_text(StepProgress("", 1234.5, 5000, 12.34, 305.2)) == (
        "1,234.5 of 5,000, 12.3 a second, 5:05 left"
    )
    assert as_text(StepProgress("records", 700, 0, 70.0, None)) == "700, 70.0 a second"
    assert as_text(StepProgress("", 1, 16, 0.01, 7384)) == "1 of 16, 0.6 a minute, 2:03:04 left"


def test_bars_on_a_terminal_has_a_bar_for_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = pty.openpty()
    said: list[bytes] = []

    def read() -> None:
        try:
            while data := os.read(reading, 65536):
                said.append(data)
        except OSError:  # nobody writes any more
            return

    reader = threading.Thread(target=read)
    reader.start()
    done, seen = 0, threading.Event()

    def finished() -> int:
        if done == 1:
            seen.set()
        return done

    with os.fdopen(writing, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setenv("COLUMNS", "120")
        monkeypatch.setattr(progress_bars, "_SECONDS_BETWEEN_LOOKS", 0.01)
        with ProgressBars() as bars:
            bars.show("clean", [Step("compare", 1, finished), Step("merge", 4, lambda: 3)])
            done = 1
            assert seen.wait(30)
            bars.show(
                "publish", [Step("", 1, lambda: 0, lambda: [ProgressEvent("checking", 2, 9)])]
            )
    reader.join()
    os.close(reading)
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", b"".join(said).decode())
    assert re.search(r"clean compare .* 0 of 1", text)
    assert re.search(r"publish checking .* 2 of 9", text)
    assert re.search(r"publish checking .* 9 ", text), "what ended well is full"

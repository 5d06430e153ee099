"""Progress as JSON lines on standard error, for programs that watch a build (`--json-logs`)."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from pipelines.progress import Meter, Step, done_of
from transforms.notices import as_json, json_line

_SECONDS_BETWEEN_LINES = 10.0


@dataclass(frozen=True, slots=True)
class _Stage:
    """A stage that runs: what of it was done when it began, by a run before, and when that was."""

    name: str
    steps: list[Step]
    total: int
    done_before: int
    began: float


class LineMeter:
    """A line when a stage begins and ends, and one every few seconds between."""

    def __init__(self, seconds_between: float = _SECONDS_BETWEEN_LINES) -> None:
        self._seconds_between = seconds_between
        self._stage: _Stage | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        # A line of progress never comes after that of its stage's end.
        self._lock = threading.Lock()

    def __enter__(self) -> LineMeter:
        self._thread.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._stop.set()
        self._thread.join()
        if error is None:
            self._end_stage()

    def show(self, stage: str, steps: list[Step]) -> None:
        """A new stage begins, with these steps."""
        with self._lock:
            self._end_stage()
            total = sum(pieces for pieces, _ in steps)
            self._stage = _Stage(stage, steps, total, done_of(steps), time.monotonic())
            json_line("info", "stage_started", stage=stage, total=total)

    def _end_stage(self) -> None:
        if self._stage:
            self._line("stage_finished", self._stage)
        self._stage = None

    def _watch(self) -> None:
        while not self._stop.wait(self._seconds_between):
            with self._lock:
                if self._stage:
                    self._line("progress", self._stage)

    def _line(self, event: str, stage: _Stage) -> None:
        seconds = time.monotonic() - stage.began
        rates = speed(done_of(stage.steps), stage.total, stage.done_before, seconds)
        json_line("info", event, stage=stage.name, **rates, seconds=round(seconds, 3))


def meter() -> Meter | LineMeter:
    """Bars for people, or lines for programs."""
    return LineMeter() if as_json() else Meter()


def speed(done: int, total: int, done_before: int, seconds: float) -> dict[str, float | None]:
    """Pieces done, their rate a second and the seconds left at it; None when nothing is known."""
    rate = (done - done_before) / seconds if seconds > 0 else 0.0
    left = (total - done) / rate if rate > 0 else None
    return {
        "done": done,
        "total": total,
        "rate": round(rate, 4),
        "seconds_left": None if left is None else round(left, 1),
    }

"""Progress as JSON lines on standard error, for programs that watch a build (`--json-logs`)."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from factmill.pipelines.progress.stage_progress import Meter, Step, Watch
from factmill.transforms.tasks.notices import as_json, json_line

_SECONDS_BETWEEN_LINES = 10.0


@dataclass(frozen=True, slots=True)
class _Stage:
    """A stage that runs, and since when."""

    name: str
    watch: Watch
    began: float

    @property
    def seconds(self) -> float:
        return round(time.monotonic() - self.began, 3)


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

    def show(self, stage: str, steps: Sequence[Step]) -> None:
        """A new stage begins, with these steps."""
        with self._lock:
            self._end_stage()
            watch = Watch(steps)
            self._stage = _Stage(stage, watch, time.monotonic())
            json_line("info", "stage_started", stage=stage, total=watch.total)

    def _end_stage(self) -> None:
        stage, self._stage = self._stage, None
        if stage:
            done, total = stage.watch.done, stage.watch.total
            json_line(
                "info", "stage_finished", stage=stage.name, done=done, total=total,
                seconds=stage.seconds,
            )  # fmt: skip

    def _watch(self) -> None:
        while not self._stop.wait(self._seconds_between):
            with self._lock:
                if self._stage:
                    self._line(self._stage)

    def _line(self, stage: _Stage) -> None:
        speed = stage.watch.look()
        rate, left = speed.rate, speed.seconds_left
        json_line(
            "info", "progress", stage=stage.name, step=speed.step, done=round(speed.done, 3),
            total=speed.total, rate=None if rate is None else round(rate, 4),
            seconds_left=None if left is None else round(left, 1), seconds=stage.seconds,
            **({"under_way": speed.under_way} if speed.under_way else {}),
        )  # fmt: skip


def meter() -> Meter | LineMeter:
    """Bars for people, or lines for programs."""
    return LineMeter() if as_json() else Meter()

"""Progress as JSON lines on standard error, for programs that watch a build (`--json-logs`)."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from factmill.pipelines.progress.stage_progress import StageProgress, Step
from factmill.transforms.tasks.notices import json_line

_SECONDS_BETWEEN_LINES = 10.0


@dataclass(frozen=True, slots=True)
class _RunningStage:
    """A stage, its progress, and when it began."""

    name: str
    progress: StageProgress
    began: float

    @property
    def seconds(self) -> float:
        return round(time.monotonic() - self.began, 3)


class ProgressLines:
    """A line when a stage begins and ends, and one every few seconds in between."""

    def __init__(self, seconds_between: float = _SECONDS_BETWEEN_LINES) -> None:
        self._seconds_between = seconds_between
        self._stage: _RunningStage | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write_lines, daemon=True)
        # No progress line may follow the line that ends its stage.
        self._lock = threading.Lock()

    def __enter__(self) -> ProgressLines:
        self._thread.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._stop.set()
        self._thread.join()
        if error is None:
            self._end_stage()

    def show(self, stage: str, steps: Sequence[Step]) -> None:
        """Begin a new stage with these steps."""
        with self._lock:
            self._end_stage()
            progress = StageProgress(steps)
            self._stage = _RunningStage(stage, progress, time.monotonic())
            json_line("info", "stage_started", stage=stage, total=progress.total)

    def _end_stage(self) -> None:
        stage, self._stage = self._stage, None
        if stage:
            done, total = stage.progress.done, stage.progress.total
            json_line(
                "info", "stage_finished", stage=stage.name, done=done, total=total,
                seconds=stage.seconds,
            )  # fmt: skip

    def _write_lines(self) -> None:
        while not self._stop.wait(self._seconds_between):
            with self._lock:
                if self._stage:
                    _write_line(self._stage)


def _write_line(stage: _RunningStage) -> None:
    now = stage.progress.look()
    rate, left = now.rate, now.seconds_left
    json_line(
        "info", "progress", stage=stage.name, step=now.step, done=round(now.done, 3),
        total=now.total, rate=None if rate is None else round(rate, 4),
        seconds_left=None if left is None else round(left, 1), seconds=stage.seconds,
        **({"under_way": now.under_way} if now.under_way else {}),
    )  # fmt: skip

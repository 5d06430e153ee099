"""Progress as bars on a terminal."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from factmill.pipelines.progress.stage_progress import StageProgress, Step, as_text

_SECONDS_BETWEEN_LOOKS = 0.5


class ProgressBars:
    """A bar for each step or phase on standard error; nothing when that is not a terminal."""

    def __init__(self) -> None:
        self._bars: Progress | None = None
        self._stage: tuple[str, StageProgress] | None = None
        self._bar: TaskID | None = None
        self._shown = ""
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> ProgressBars:
        if sys.stderr.isatty():
            self._bars = Progress(
                TextColumn("{task.description:<24}"), BarColumn(20),
                TextColumn("{task.fields[text]}"), TimeElapsedColumn(),
                console=Console(stderr=True),
            )  # fmt: skip
            self._bars.start()
            self._thread = threading.Thread(target=self._redraw, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._stop.set()
        if self._thread and self._bars:
            self._thread.join()
            if error is None:
                self._finish_bar()
            self._bars.stop()

    def show(self, stage: str, steps: Sequence[Step]) -> None:
        """Begin a new stage with these steps."""
        if self._bars:
            with self._lock:
                self._stage = stage, StageProgress(steps)
                self._draw()

    def _redraw(self) -> None:
        while not self._stop.wait(_SECONDS_BETWEEN_LOOKS):
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        if self._bars is None or self._stage is None:
            return
        stage, stage_progress = self._stage
        progress = stage_progress.look()
        name, text = f"{stage} {progress.step}".strip(), as_text(progress)
        if name != self._shown or self._bar is None:
            self._finish_bar()
            self._shown = name
            self._bar = self._bars.add_task(name, total=None, text=text)
        self._bars.update(
            self._bar, total=progress.total or None, completed=progress.done, text=text
        )

    def _finish_bar(self) -> None:
        if self._bars and self._bar is not None:
            total = self._bars.tasks[self._bar].total or 1
            self._bars.update(self._bar, completed=total, total=total, text=f"{total:,.0f}")
            self._bars.stop_task(self._bar)

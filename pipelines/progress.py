"""Progress on a terminal, silence otherwise. What is done is read off the build's folder."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

_SECONDS_BETWEEN_LOOKS = 0.5
# What there is to do, and a way to see how much of it is done.
Step = tuple[int, Callable[[], int]]


def done_of(steps: list[Step]) -> int:
    """How many pieces of these steps are done."""
    return sum(finished() for _, finished in steps)


class Meter:
    """A bar for each stage on standard error, when that is a terminal.

    Worker processes know nothing of it: it counts the pieces they finished.
    """

    def __init__(self) -> None:
        self._bars: Progress | None = None
        self._current: tuple[TaskID, list[Step]] | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Meter:
        if sys.stderr.isatty():
            self._bars = Progress(
                TextColumn("{task.description:>8}"), BarColumn(), MofNCompleteColumn(),
                TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True),
            )  # fmt: skip
            self._bars.start()
            self._thread = threading.Thread(target=self._watch, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._stop.set()
        if self._thread and self._bars:
            self._thread.join()
            if error is None:
                self._finish_current()
            self._bars.stop()

    def show(self, stage: str, steps: list[Step]) -> None:
        """A new stage begins, with these steps."""
        if self._bars:
            self._finish_current()
            task = self._bars.add_task(stage, total=sum(total for total, _ in steps) or 1)
            self._current = (task, steps)

    def _finish_current(self) -> None:
        if self._bars and self._current:
            task, _ = self._current
            self._bars.update(task, completed=self._bars.tasks[task].total)

    def _watch(self) -> None:
        while not self._stop.wait(_SECONDS_BETWEEN_LOOKS):
            if self._bars and self._current:
                task, steps = self._current
                self._bars.update(task, completed=done_of(steps))

"""How far a stage is, its rate and the time left; as bars on a terminal.

A stage is a few steps, one after the other, and what is shown is the step that runs: pieces of
different steps take different times. A step of one piece shows the phase that it is in. Worker
processes know nothing of it: what they finished and noted is read off the build's folder.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from factmill.schemas.progress_events import ProgressEvent

_SECONDS_BETWEEN_LOOKS = 0.5


def _nothing() -> list[ProgressEvent]:
    return []


@dataclass(frozen=True, slots=True)
class Step:
    """So many pieces, a way to see how many are done, and how far those are that are not."""

    name: str
    pieces: int
    finished: Callable[[], int]
    notes: Callable[[], list[ProgressEvent]] = _nothing


@dataclass(frozen=True, slots=True)
class Speed:
    """What is done of a step or phase. `rate` is per second, None if not known yet; `total` is 0
    when nobody knows it. `under_way` is what was said to be done of pieces of unknown size."""

    step: str
    done: float
    total: int
    rate: float | None
    seconds_left: float | None
    under_way: str = ""


class Watch:
    """Looks at the steps of one stage."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = [step for step in steps if step.pieces]
        self._step, self._began = "", time.monotonic()
        self._before = self._seen = 0.0
        self.look()

    @property
    def total(self) -> int:
        return sum(step.pieces for step in self._steps)

    @property
    def done(self) -> int:
        return sum(step.finished() for step in self._steps)

    def look(self) -> Speed:
        """The step that runs now. Its rate is that since it was first seen to run."""
        name, done, total, under_way = self._now()
        now = time.monotonic()
        if name != self._step or done < self._seen:
            self._step, self._began, self._before = name, now, done
        self._seen = done
        seconds, made = now - self._began, done - self._before
        rate = made / seconds if made > 0 and seconds > 0 else None
        left = (total - done) / rate if rate and total else None
        return Speed(name, done, total, rate, left, under_way)

    def _now(self) -> tuple[str, float, int, str]:
        for step in self._steps:
            finished = step.finished()
            if finished < step.pieces:
                notes = step.notes()
                if step.pieces == 1 and notes:
                    phase = notes[0]
                    return f"{step.name} {phase.doing}".strip(), phase.done, phase.total, ""
                parts = sum(note.done / note.total for note in notes if note.total)
                unknown = [note for note in notes if not note.total]
                done = f"{sum(note.done for note in unknown):,}"
                under_way = f"{done} {unknown[0].doing}" if unknown else ""
                return step.name, finished + parts, step.pieces, under_way
        last = self._steps[-1] if self._steps else Step("", 0, int)
        return last.name, last.pieces, last.pieces, ""


class Meter:
    """A bar for each step or phase on standard error, when that is a terminal."""

    def __init__(self) -> None:
        self._bars: Progress | None = None
        self._current: tuple[str, Watch] | None = None
        self._task: TaskID | None = None
        self._shown = ""
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Meter:
        if sys.stderr.isatty():
            self._bars = Progress(
                TextColumn("{task.description:<24}"), BarColumn(20),
                TextColumn("{task.fields[said]}"), TimeElapsedColumn(),
                console=Console(stderr=True),
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
                self._finish_bar()
            self._bars.stop()

    def show(self, stage: str, steps: Sequence[Step]) -> None:
        """A new stage begins, with these steps."""
        if self._bars:
            with self._lock:
                self._current = stage, Watch(steps)
                self._draw()

    def _watch(self) -> None:
        while not self._stop.wait(_SECONDS_BETWEEN_LOOKS):
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        if self._bars is None or self._current is None:
            return
        stage, watch = self._current
        speed = watch.look()
        name = f"{stage} {speed.step}".strip()
        text = as_text(speed)
        if name != self._shown or self._task is None:
            self._finish_bar()
            self._shown = name
            self._task = self._bars.add_task(name, total=None, said=text)
        self._bars.update(self._task, total=speed.total or None, completed=speed.done, said=text)

    def _finish_bar(self) -> None:
        if self._bars and self._task is not None:
            total = self._bars.tasks[self._task].total or 1
            self._bars.update(self._task, completed=total, total=total, said=f"{total:,.0f}")
            self._bars.stop_task(self._task)


def as_text(speed: Speed) -> str:
    """ "12 of 480, 3.1 a second, 2:31 left"; only what is known."""
    done = int(speed.done) if speed.done == int(speed.done) else round(speed.done, 1)
    said = f"{done:,} of {speed.total:,}" if speed.total else f"{done:,}"
    if speed.under_way:
        said += f" and {speed.under_way}"
    if speed.rate:
        slow = speed.rate < 0.1
        rate = speed.rate * 60 if slow else speed.rate
        said += f", {rate:,.1f} a {'minute' if slow else 'second'}"
    if speed.seconds_left is not None:
        minutes, seconds = divmod(round(speed.seconds_left), 60)
        hours, minutes = divmod(minutes, 60)
        clock = f"{hours}:{minutes:02}" if hours else f"{minutes}"
        said += f", {clock}:{seconds:02} left"
    return said

"""The progress of a stage: how much is done, its rate, and the time left.

A stage has a few steps, one after the other. Its progress is that of the running step, because
tasks of different steps take different times. A step with one task shows the phase of that task.
Worker processes know nothing of this: their results and events are read from the build's folder.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from factmill.schemas.progress_events import ProgressEvent


def _no_events() -> list[ProgressEvent]:
    return []


@dataclass(frozen=True, slots=True)
class Step:
    """A number of tasks. `finished` counts the finished ones, `running` returns the last progress
    event of each unfinished one.
    """

    name: str
    tasks: int
    finished: Callable[[], int]
    running: Callable[[], list[ProgressEvent]] = _no_events


@dataclass(frozen=True, slots=True)
class StepProgress:
    """How much of a step or phase is done. `rate` is per second, None until something is done;
    `total` is 0 when unknown to the task. `under_way` describes tasks of unknown size.
    """

    step: str
    done: float
    total: int
    rate: float | None
    seconds_left: float | None
    under_way: str = ""


class StageProgress:
    """The progress of one stage, read anew by each `look`."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = [step for step in steps if step.tasks]
        self._step, self._began = "", time.monotonic()
        self._done_before = self._done = 0.0
        self.look()

    @property
    def total(self) -> int:
        return sum(step.tasks for step in self._steps)

    @property
    def done(self) -> int:
        return sum(step.finished() for step in self._steps)

    def look(self) -> StepProgress:
        """The running step. Its rate counts from when it was first seen running."""
        name, done, total, under_way = self._running_step()
        now = time.monotonic()
        if name != self._step or done < self._done:
            self._step, self._began, self._done_before = name, now, done
        self._done = done
        seconds, gained = now - self._began, done - self._done_before
        rate = gained / seconds if gained > 0 and seconds > 0 else None
        left = (total - done) / rate if rate and total else None
        return StepProgress(name, done, total, rate, left, under_way)

    def _running_step(self) -> tuple[str, float, int, str]:
        for step in self._steps:
            finished = step.finished()
            if finished < step.tasks:
                events = step.running()
                if step.tasks == 1 and events:
                    phase = events[0]
                    return f"{step.name} {phase.doing}".strip(), phase.done, phase.total, ""
                parts = sum(event.done / event.total for event in events if event.total)
                return step.name, finished + parts, step.tasks, _under_way(events)
        last = self._steps[-1] if self._steps else Step("", 0, int)
        return last.name, last.tasks, last.tasks, ""


def _under_way(events: Sequence[ProgressEvent]) -> str:
    unsized = [event for event in events if not event.total]
    return f"{sum(event.done for event in unsized):,} {unsized[0].doing}" if unsized else ""


def as_text(progress: StepProgress) -> str:
    """ "12 of 480, 3.1 a second, 2:31 left", without the parts that are not available."""
    done = int(progress.done) if progress.done == int(progress.done) else round(progress.done, 1)
    text = f"{done:,} of {progress.total:,}" if progress.total else f"{done:,}"
    if progress.under_way:
        text += f" and {progress.under_way}"
    if progress.rate:
        slow = progress.rate < 0.1
        rate = progress.rate * 60 if slow else progress.rate
        text += f", {rate:,.1f} a {'minute' if slow else 'second'}"
    if progress.seconds_left is not None:
        minutes, seconds = divmod(round(progress.seconds_left), 60)
        hours, minutes = divmod(minutes, 60)
        clock = f"{hours}:{minutes:02}" if hours else f"{minutes}"
        text += f", {clock}:{seconds:02} left"
    return text

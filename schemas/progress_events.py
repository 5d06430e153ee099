"""How far a long computation has come, for whoever listens, which is nobody as a rule.

What computes reports events and knows nothing of bars, files or processes. A listener gets the
events of its own thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """So much of a phase is done. `doing` names the phase, "" is all of them together; `total` is 0
    when nobody can say it."""

    doing: str
    done: int
    total: int


ProgressListener = Callable[[ProgressEvent], None]
_listener: ContextVar[ProgressListener | None] = ContextVar("listener", default=None)


def report_progress(doing: str, done: int, total: int) -> None:
    """Send the listener an event, if there is one."""
    listener = _listener.get()
    if listener:
        listener(ProgressEvent(doing, done, total))


@contextmanager
def progress_within(before: int, total: int) -> Iterator[None]:
    """Events meanwhile count as a part of a whole of which so much was done before."""
    listener = _listener.get()
    if listener is None:
        yield
        return
    whole = listener
    with progress_to(lambda event: whole(ProgressEvent("", before + event.done, total))):
        yield


@contextmanager
def progress_to(listener: ProgressListener) -> Iterator[None]:
    """Events meanwhile go to this listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)

"""Progress of a long computation, reported to a listener if there is one.

A computation reports events and knows nothing of bars, files or processes. A listener gets the
events of its own thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """`done` of `total` in a phase. `doing` names the phase ("" for the whole); `total` is 0 when
    it is unknown.
    """

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
    """Within the block, events count as a part of a larger whole of which `before` is already
    done.
    """
    listener = _listener.get()
    if listener is None:
        yield
        return
    whole = listener
    with progress_to(lambda event: whole(ProgressEvent("", before + event.done, total))):
        yield


@contextmanager
def progress_to(listener: ProgressListener) -> Iterator[None]:
    """Send the events of the block to this listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)

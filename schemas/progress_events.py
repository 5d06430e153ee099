"""How far a long computation has come, for whoever listens, which is nobody as a rule.

What computes says so in passing and knows nothing of bars, files or processes. A listener hears
what is told in its own thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """So much of a phase is done; `doing` is "" for the whole of what is worked on, `total` 0 when
    nobody knows it."""

    doing: str
    done: int
    total: int


ProgressListener = Callable[[ProgressEvent], None]
_listener: ContextVar[ProgressListener | None] = ContextVar("listener", default=None)


def report_progress(doing: str, done: int, total: int) -> None:
    """Say how far it has come."""
    listener = _listener.get()
    if listener:
        listener(ProgressEvent(doing, done, total))


@contextmanager
def progress_within(before: int, total: int) -> Iterator[None]:
    """What is told meanwhile counts as a part of a whole of which so much was done before."""
    listener = _listener.get()
    if listener is None:
        yield
        return
    whole = listener
    with progress_to(lambda told: whole(ProgressEvent("", before + told.done, total))):
        yield


@contextmanager
def progress_to(listener: ProgressListener) -> Iterator[None]:
    """What is told meanwhile goes to this listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)

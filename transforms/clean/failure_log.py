"""Warns of unexpected errors of pages: a bug would else be a reject like any other."""

from __future__ import annotations

from factmill.transforms.clean.bounded_process import Ended
from factmill.transforms.tasks.notices import warn

# Lines of code that one process reports; a broken library may fail in many.
_MAX_LOCATIONS = 20
_reported: set[str] = set()


def report_failure(ended: Ended) -> None:
    """Warn with the traceback of an unexpected error, once for each line of code that raised it."""
    location = ended.detail.partition(": ")[0]
    if ended.traceback and location not in _reported and len(_reported) < _MAX_LOCATIONS:
        _reported.add(location)
        warn("clean", f"{ended.detail}; traceback: {ended.traceback}")

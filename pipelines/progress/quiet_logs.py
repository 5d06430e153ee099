"""Logs of libraries: silent unless something is wrong, or JSON lines (`--json-logs`).

Call these before importing Beam, which logs a lot.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from factmill.transforms.tasks.notices import FORMAT, json_line


def quiet_logs() -> None:
    """Log only errors in this process.

    Libraries report optional packages they did not find, and workers their every step. factmill
    reports through its own errors and counts.
    """
    logging.disable(logging.WARNING)
    # It logs the same details of a failed job that its error has.
    logging.getLogger("apache_beam").setLevel(logging.CRITICAL)
    # It logs an error for a page without text, which is a reject here.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)


@contextmanager
def no_logs() -> Iterator[None]:
    """Log nothing in the block: a runner logs the error of a failed job with tracebacks, and raises
    it too.
    """
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


class _JsonLines(logging.Handler):
    """Writes log records as JSON lines."""

    def emit(self, record: logging.LogRecord) -> None:
        level = "error" if record.levelno >= logging.ERROR else record.levelname.lower()
        json_line(level, "log", logger=record.name, message=record.getMessage())


@contextmanager
def json_logs() -> Iterator[None]:
    """Write logs as JSON lines on standard error in the block, and in no other form; in this
    process and the workers it starts.
    """
    before, root = os.environ.get(FORMAT), logging.getLogger()
    handlers, root.handlers = root.handlers, [_JsonLines()]
    with warnings.catch_warnings():
        # Filters stay as they are; only the format changes.
        warnings.showwarning = lambda message, kind, *_, **__: json_line(
            "warning", "warning", message=f"{kind.__name__}: {message}"
        )
        os.environ[FORMAT] = "json"
        try:
            yield
        finally:
            root.handlers = handlers
            os.environ.pop(FORMAT)
            if before is not None:
                os.environ[FORMAT] = before

"""What libraries log: nothing unless something is wrong; or JSON lines (`--json-logs`).

Quiet logs are wanted before Beam is imported, which is talkative.
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

    Libraries report optional packages they did not find and workers their every step. What factmill
    has to say, it says through its own errors and counts.
    """
    logging.disable(logging.WARNING)
    # What it logs of a failed job is in the error that it raises as well.
    logging.getLogger("apache_beam").setLevel(logging.CRITICAL)
    # Calls a page without text an error; here it is a reject.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)


@contextmanager
def no_logs() -> Iterator[None]:
    """Log nothing meanwhile: a runner logs the error of a failed job, with tracebacks, and raises
    it as well."""
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
    """Write JSON lines on standard error meanwhile, in this process and in workers it starts."""
    before, handler = os.environ.get(FORMAT), _JsonLines()
    with warnings.catch_warnings():
        # Filters stay as they are; only what is printed changes.
        warnings.showwarning = lambda message, kind, *_, **__: json_line(
            "warning", "warning", message=f"{kind.__name__}: {message}"
        )
        os.environ[FORMAT] = "json"
        logging.getLogger().addHandler(handler)
        try:
            yield
        finally:
            logging.getLogger().removeHandler(handler)
            os.environ.pop(FORMAT)
            if before is not None:
                os.environ[FORMAT] = before

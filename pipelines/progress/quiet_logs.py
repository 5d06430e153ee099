"""What a command says beside its result: nothing unless something is wrong, and that in one line.

Quiet logs are wanted before Beam is imported, which is talkative.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from factmill.schemas.errors import FactmillError, Locked, NotPublished, OptionError
from factmill.transforms.tasks.notices import FORMAT, as_json, json_line


def quiet_logs() -> None:
    """Only errors are logged, in this process.

    Libraries report optional packages they did not find and workers their every step; what factmill
    has to say it says through its own errors and counts.
    """
    logging.disable(logging.WARNING)
    # What it logs of a failed job is in the error that it raises as well.
    logging.getLogger("apache_beam").setLevel(logging.CRITICAL)
    # Calls a page without text an error; here it is a reject.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)


@contextmanager
def no_logs() -> Iterator[None]:
    """Not even errors meanwhile: a runner logs what a job failed of, with tracebacks, and raises it
    as well."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


class _Lines(logging.Handler):
    """What libraries log, as JSON lines."""

    def emit(self, record: logging.LogRecord) -> None:
        level = "error" if record.levelno >= logging.ERROR else record.levelname.lower()
        json_line(level, "log", logger=record.name, message=record.getMessage())


@contextmanager
def json_logs() -> Iterator[None]:
    """JSON lines on standard error meanwhile, of this process and of workers that it starts."""
    before, handler = os.environ.get(FORMAT), _Lines()
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


def exit_code(program: str, run: Callable[[], int], in_json: bool) -> int:
    """Run a command. Its exit code; or 1 (it failed, with one line why), 2 (a wrong option), 3 (a
    build is whole, but not published) or 4 (another build is running)."""
    with json_logs() if in_json else nullcontext():
        try:
            return run()
        except FactmillError as error:
            codes = ((OptionError, 2), (NotPublished, 3), (Locked, 4))
            code = next((code for kind, code in codes if isinstance(error, kind)), 1)
            _say_failed(program, str(error), code)
            return code
        except BrokenPipeError:
            return 1
        except KeyboardInterrupt:
            _say_failed(program, "stopped; the same command resumes", 130)
            return 130


def _say_failed(program: str, message: str, code: int) -> None:
    if as_json():
        json_line("error", "failed", message=message, exit_code=code)
    else:
        print(f"{program}: {message}", file=sys.stderr)

"""Errors of workers: every job that fails raises here what its worker raised.

A worker's error arrives in one of three shapes:

    worker in this process    the same error with Beam's text appended to its message
    worker process            a RuntimeError; its message is the worker's traceback
    another runner            an error of that runner; its message contains the worker's traceback

`clear_error` turns each of them into the FactmillError that the worker raised. It turns a full
disk, however a library words it, into NoSpace. Every other error is a bug and stays as it is. Text
is searched, never evaluated.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cache

import factmill.schemas.errors
from factmill.schemas.errors import DISK_FULL, BuildError, FactmillError, NoSpace
from factmill.schemas.layout import Store

_TRACEBACK = "Traceback (most recent call last):"
# Beam writes a RuntimeError before a kind whose __init__ takes no message.
_NAMED = re.compile(
    r"^(?:RuntimeError: )?factmill\.schemas\.errors\.(\w{1,50}): (.{1,2000})", re.MULTILINE
)
_WHILE_RUNNING = re.compile(r"\s*\[while running .{0,300}?\]?$")
_MAX_CAUSES = 20
_MAX_CHARACTERS = 500
_KINDS = {
    name: kind
    for name, kind in vars(factmill.schemas.errors).items()
    if isinstance(kind, type) and issubclass(kind, FactmillError)
}


class ClearErrors:
    """Turns errors of the block into clear ones, as described above. Commands and jobs run in
    it.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        clear = clear_error(error, self._store) if isinstance(error, Exception) else error
        if clear is not None and clear is not error:
            raise clear from None


def clear_error(error: Exception, store: Store) -> BaseException | None:
    """The error to raise instead of this one, or None when it is a bug."""
    full = disk_full(error)
    if full:
        return NoSpace(
            f"{store.root}: {full}; nothing was published; make room and run the same command again"
        )
    original = _without_beam(error)
    if isinstance(original, FactmillError | KeyboardInterrupt):
        return original
    return named_error(str(error))


def _without_beam(error: BaseException) -> BaseException:
    """The error that a worker of this process raised. Beam raises another error while handling it:
    one with a longer message, or a RuntimeError if the class takes no message.
    """
    while getattr(error, "_tagged_with_step", False) and error.__context__ is not None:
        error = error.__context__
    return error


def disk_full(error: BaseException | None) -> str:
    """The system's message when the disk is full; "" for another error. pyarrow, DuckDB and others
    raise errors of their own, so causes and messages are searched too.
    """
    for _ in range(_MAX_CAUSES):
        if error is None:
            break
        message = str(error)
        for code in DISK_FULL:
            if getattr(error, "errno", None) == code or os.strerror(code) in message:
                return os.strerror(code)
        error = error.__cause__ or error.__context__
    return ""


def named_error(text: str) -> FactmillError | None:
    """The FactmillError at the end of the last traceback in a runner's text, or None."""
    found = _NAMED.findall(text.rpartition(_TRACEBACK)[2])
    if not found:
        return None
    name, message = found[-1]
    kind = _KINDS.get(name, BuildError)
    # Some classes build their message in __init__; here it is complete already.
    return kind.__new__(kind, _WHILE_RUNNING.sub("", message))


def error_text(error: FactmillError) -> str:
    """An error as the last line of a traceback, as `named_error` reads it."""
    return f"{type(error).__module__}.{type(error).__name__}: {error}"


def last_line(text: str) -> str:
    """The last line with content, "" if there is none; in a traceback, the exception."""
    # The text of a runner without a reason ends with None.
    lines = [line for line in text.splitlines() if line.strip() not in ("", "None")]
    return " ".join(lines[-1].split())[:_MAX_CHARACTERS] if lines else ""


@cache
def runner_failures() -> tuple[type[Exception], ...]:
    """Errors that runners and their libraries raise when a job or its options are refused, when the
    job failed, or when there is no response. Anything else is a bug.
    """
    # Commands that run no job need neither package.
    import grpc
    from apache_beam.error import BeamError

    kinds: list[type[Exception]] = [
        BeamError, RuntimeError, ValueError, OSError, grpc.RpcError, grpc.FutureTimeoutError
    ]  # fmt: skip
    with suppress(ImportError):  # Dataflow's come with the extra gcp
        from apache_beam.runners.dataflow.dataflow_runner import DataflowRuntimeException
        from apitools.base.py.exceptions import Error
        from google.api_core.exceptions import GoogleAPIError
        from google.auth.exceptions import GoogleAuthError

        kinds += [DataflowRuntimeException, Error, GoogleAPIError, GoogleAuthError]
    return tuple(kinds)

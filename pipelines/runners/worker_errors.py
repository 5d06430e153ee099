"""What a job failed of, out of what its runner says: the error of a worker that has a name here, or
the last line of a traceback.

A worker's exception comes back as text, with tracebacks of the worker and of the runner around it.
It is searched, never evaluated.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache

import grpc
from apache_beam.error import BeamError

import factmill.schemas.errors
from factmill.schemas.errors import BuildError, FactmillError

_NAMED = re.compile(r"^factmill\.schemas\.errors\.(\w{1,50}): (.{1,2000})", re.MULTILINE)
_WHERE = re.compile(r"\s*\[while running .{0,300}?\]?$")
_MOST_CHARACTERS = 500
# Their messages are made of parts.
_MADE_OF_PARTS = ("Rejected", "MissingExtra")


@cache
def runner_failures() -> tuple[type[Exception], ...]:
    """What runners, and the libraries that they speak with, raise of jobs and options: refused,
    failed, or nobody there. Anything else is a bug."""
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


def named_error(said: str) -> FactmillError | None:
    """The error of factmill's own that a runner's text ends with, or None."""
    found = _NAMED.findall(said)
    if not found:
        return None
    name, message = found[-1]
    kind = getattr(factmill.schemas.errors, name, None)
    if not isinstance(kind, type) or not issubclass(kind, FactmillError) or name in _MADE_OF_PARTS:
        kind = BuildError
    return kind(_WHERE.sub("", message))


def last_line(said: str) -> str:
    """The last line that says something, "" if none does: of a traceback, the exception."""
    # Where a runner was told no reason, it says None.
    lines = [line for line in said.splitlines() if line.strip() not in ("", "None")]
    return " ".join(lines[-1].split())[:_MOST_CHARACTERS] if lines else ""

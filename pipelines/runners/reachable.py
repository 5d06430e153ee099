"""Telling that an object store was gone from other troubles of a worker.

A worker's error comes here as a traceback in the message of another error, Beam's.
"""

from __future__ import annotations

import re

from factmill.schemas.errors import Unreachable

_SAID = re.compile(
    rf"^{re.escape(Unreachable.__module__)}\.{Unreachable.__name__}: (.+)$", re.MULTILINE
)
_BEAM = re.compile(r" \[while running '[^']*'\]$")


def unreachable(error: BaseException) -> str:
    """What a worker said, if it is that an object store did not answer; else ""."""
    said = _SAID.findall(str(error))
    return _BEAM.sub("", said[-1]) if said else ""


class StoreNeeded:
    """Raises Unreachable in place of what a runner made of a worker's; others pass."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        said = unreachable(error) if isinstance(error, RuntimeError) else ""
        if said:
            raise Unreachable(said) from None

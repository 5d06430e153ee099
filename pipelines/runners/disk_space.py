"""Telling a full disk from other troubles, however it was said.

Libraries and runners say in words of their own what the system told them: pyarrow and DuckDB raise
errors of their own, and Beam an error with a traceback in it.
"""

from __future__ import annotations

import errno
import os

from factmill.schemas.errors import NoSpace
from factmill.schemas.layout import Store

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# Causes of causes that are looked at.
_MOST_CAUSES = 20


def no_space(error: BaseException | None) -> str:
    """What the system said, if it is that nothing more can be written; else ""."""
    for _ in range(_MOST_CAUSES):
        if error is None:
            break
        said = str(error)
        for code in _FULL:
            if getattr(error, "errno", None) == code or os.strerror(code) in said:
                return os.strerror(code)
        error = error.__cause__ or error.__context__
    return ""


class SpaceNeeded:
    """Raises NoSpace in place of whatever a full disk made of the work inside; others pass."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        said = no_space(error) if isinstance(error, Exception) else ""
        if said:
            raise NoSpace(
                f"{self._store.root}: {said}; nothing was published, and the same command goes on"
            ) from None

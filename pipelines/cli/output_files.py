"""Output files that a command is asked to write: checked before the work, written after it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from factmill.schemas.errors import FactmillError, OptionError


def check_writable(path: Path, option: str) -> None:
    """Raises OptionError when no file can be written at this path."""
    if path.is_dir():
        raise OptionError(f"{option} {path}: a folder, not a file")
    if path.exists() and not path.is_file():
        # The finished file would replace a device or a pipe.
        raise OptionError(f"{option} {path}: not a regular file")
    if not path.parent.is_dir():
        raise OptionError(f"{option} {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise OptionError(f"{option} {path}: {path.parent} cannot be written")


@contextmanager
def write_errors(path: Path, option: str) -> Iterator[None]:
    """Raises FactmillError when the block cannot write its file, as on a full disk."""
    try:
        yield
    except OSError as error:
        raise FactmillError(f"{option} {path}: {error.strerror or error}") from None

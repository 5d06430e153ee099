"""Output files that a command is asked to write are checked before the work, not after it."""

from __future__ import annotations

import os
from pathlib import Path

from factmill.schemas.errors import OptionError


def check_writable(path: Path, option: str) -> None:
    """Raises OptionError when no file can be written at this path."""
    if path.is_dir():
        raise OptionError(f"{option} {path}: a folder, not a file")
    if not path.parent.is_dir():
        raise OptionError(f"{option} {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise OptionError(f"{option} {path}: {path.parent} cannot be written")

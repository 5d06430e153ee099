"""Lines added to a log as they come, which a crash must not lose.

A file is appended to with one write a line, so a process that is killed loses only what was on its
way. Objects cannot be appended to: there lines wait until some have come together, and become an
object of their own, so a process that is killed loses what waits, which has a small bound.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from factmill.schemas.storage.object_paths import ObjectPath

# A power cut may cost this much; a killed process costs nothing.
_SECONDS_BETWEEN_SYNCS = 2.0
# Lines of all logs of a process that may wait for others, and their bytes.
MOST_WAITING = 16
_MOST_BYTES = 1_000_000


class FileLog:
    """A new file that lines are appended to."""

    waiting = 0

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_EXCL, 0o644)
        self._synced = time.monotonic()

    def add(self, line: bytes) -> None:
        """Raises OSError when the disk is full: the line is not counted as written then."""
        if os.write(self._file, line) != len(line):
            raise OSError(f"a log took less than the {len(line)} bytes of a line")
        if time.monotonic() - self._synced > _SECONDS_BETWEEN_SYNCS:
            os.fsync(self._file)
            self._synced = time.monotonic()

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        os.fsync(self._file)
        os.close(self._file)


class ObjectLog:
    """Objects of some lines each, named as they are written."""

    def __init__(self, folder: ObjectPath, name: Callable[[], str]) -> None:
        self._folder, self._name = folder, name
        self._waiting: list[bytes] = []

    @property
    def waiting(self) -> int:
        """Lines that would be lost now."""
        return len(self._waiting)

    def add(self, line: bytes) -> None:
        """Raises Unreachable, and then keeps the line for another attempt."""
        self._waiting.append(line)
        if self.waiting >= MOST_WAITING or sum(map(len, self._waiting)) > _MOST_BYTES:
            self.flush()

    def flush(self) -> None:
        if self._waiting:
            (self._folder / self._name()).write_bytes(b"".join(self._waiting))
            self._waiting = []

    def close(self) -> None:
        self.flush()

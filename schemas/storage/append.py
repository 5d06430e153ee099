"""Append-only logs whose lines survive a crash.

A file gets one write per line, so a killed process loses only the line it was writing. Objects
cannot be appended to: lines are collected and become an object of their own, so a killed process
loses a small, bounded number of lines.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from factmill.schemas.storage.object_paths import ObjectPath

# Lost at most in a power cut; a killed process loses nothing.
_SECONDS_BETWEEN_SYNCS = 2.0
# How many lines, and bytes, may wait in all logs of a process together.
MAX_WAITING = 16
_MAX_BYTES = 1_000_000


class FileLog:
    """A new file that lines are appended to."""

    waiting = 0

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_EXCL, 0o644)
        self._synced = time.monotonic()

    def add(self, line: bytes) -> None:
        """Append a line. Raises OSError when the disk is full; the line then does not count as
        written.
        """
        if os.write(self._file, line) != len(line):
            raise OSError(f"only a part of the {len(line)} bytes of a line was written")
        if time.monotonic() - self._synced > _SECONDS_BETWEEN_SYNCS:
            os.fsync(self._file)
            self._synced = time.monotonic()

    def flush(self) -> None:
        """Does nothing: no line waits."""

    def close(self) -> None:
        os.fsync(self._file)
        os.close(self._file)


class ObjectLog:
    """Lines collected into objects."""

    def __init__(self, folder: ObjectPath, name: Callable[[], str]) -> None:
        self._folder, self._name = folder, name
        self._waiting: list[bytes] = []

    @property
    def waiting(self) -> int:
        """Number of lines that a crash would lose now."""
        return len(self._waiting)

    def add(self, line: bytes) -> None:
        """Add a line. Raises Unreachable, and keeps the line for another attempt."""
        self._waiting.append(line)
        if self.waiting >= MAX_WAITING or sum(map(len, self._waiting)) > _MAX_BYTES:
            self.flush()

    def flush(self) -> None:
        if self._waiting:
            (self._folder / self._name()).write_bytes(b"".join(self._waiting))
            self._waiting = []

    def close(self) -> None:
        self.flush()

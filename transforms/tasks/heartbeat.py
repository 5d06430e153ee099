"""Heartbeats of running tasks, for runners that do not notice a lost worker.

The launcher of a job requests heartbeats and reads them. A worker then keeps one file for each
running task, and changes its content while it lives. No clocks are compared: a file whose content
stays the same for long belongs to a lost worker.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from factmill.schemas.errors import Unreachable
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.atomic import discard, write_text
from factmill.schemas.storage.paths import StoragePath, matching

SECONDS_BETWEEN_BEATS = 5.0
_WANTED = "wanted"
_SUFFIX = ".beat"


def _folder(build: BuildDir) -> StoragePath:
    return build.work / "heartbeats"


def beat_file(build: BuildDir, task: str) -> StoragePath:
    """The file that a running task keeps changing."""
    return _folder(build) / f"{task}{_SUFFIX}"


@contextmanager
def heartbeat(build: BuildDir, task: str) -> Iterator[None]:
    """Send heartbeats of a task while the block runs, if the launcher requested them."""
    if not (_folder(build) / _WANTED).is_file():
        yield
        return
    path, ended = beat_file(build, task), threading.Event()

    def beat() -> None:
        count = 0
        while True:
            # A temporary failure costs one heartbeat; a full disk fails the work itself.
            with suppress(OSError, Unreachable):
                write_text(path, str(count))
            count += 1
            if ended.wait(SECONDS_BETWEEN_BEATS):
                return

    thread = threading.Thread(target=beat, name="factmill-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        path.unlink(missing_ok=True)


@dataclass
class Heartbeats:
    """The heartbeats of a build's tasks, as seen by the launcher."""

    build: BuildDir
    # The content of each file, and the time of its last change.
    _seen: dict[str, tuple[str, float]] = field(default_factory=dict)

    def request(self) -> None:
        """Ask workers for heartbeats; removes those of an earlier run."""
        self.clear()
        write_text(_folder(self.build) / _WANTED, "")

    def clear(self) -> None:
        """Remove all heartbeats and the request."""
        discard(_folder(self.build))

    @property
    def any_seen(self) -> bool:
        """Whether there was a heartbeat when `lost_task` last looked."""
        return bool(self._seen)

    def lost_task(self, seconds: float) -> str:
        """The name of a task whose heartbeat has not changed for `seconds`, or ""."""
        now, before, self._seen = time.monotonic(), self._seen, {}
        for path in matching(_folder(self.build), f"*{_SUFFIX}"):
            try:
                content = path.read_text(encoding="utf-8")
            except OSError:  # the task has finished
                continue
            same = before.get(path.stem)
            since = same[1] if same and same[0] == content else now
            self._seen[path.stem] = content, since
            if now - since > seconds:
                return path.stem
        return ""

"""Signs of life of pieces that are worked on, for runners that do not notice a lost worker.

Who starts a job asks for signs, and watches them. A worker then leaves a file for each piece that
it works on, whose content changes as long as it lives. No clocks are compared: a sign that stays
the same for long is one of a worker that is gone.
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

SECONDS_BETWEEN_SIGNS = 5.0
_WANTED = "wanted"


def _folder(build: BuildDir) -> StoragePath:
    return build.work / "alive"


@contextmanager
def signs_of_life(build: BuildDir, name: str) -> Iterator[None]:
    """Leave them meanwhile, if anybody asked. A name is that of one piece."""
    folder = _folder(build)
    if not (folder / _WANTED).is_file():
        yield
        return
    path, ended = folder / f"{name}.sign", threading.Event()

    def leave() -> None:
        count = 0
        while True:
            # What fails for a moment costs a sign; a full disk is met by the work itself.
            with suppress(OSError, Unreachable):
                write_text(path, str(count))
            count += 1
            if ended.wait(SECONDS_BETWEEN_SIGNS):
                return

    thread = threading.Thread(target=leave, name="factmill-alive", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        path.unlink(missing_ok=True)


@dataclass
class Signs:
    """The signs of a build's workers, as seen from outside."""

    build: BuildDir
    # The content of each, and when it was seen first.
    _seen: dict[str, tuple[str, float]] = field(default_factory=dict)

    def ask(self) -> None:
        """Ask for them; those of an earlier run are forgotten."""
        self.forget()
        write_text(_folder(self.build) / _WANTED, "")

    def forget(self) -> None:
        discard(_folder(self.build))

    @property
    def seen(self) -> bool:
        """Whether there was any at the last look."""
        return bool(self._seen)

    def lost(self, seconds: float) -> str:
        """The piece whose sign has not changed for so long, or ""."""
        now, before, self._seen = time.monotonic(), self._seen, {}
        for path in matching(_folder(self.build), "*.sign"):
            try:
                content = path.read_text(encoding="utf-8")
            except OSError:  # it is done
                continue
            same = before.get(path.stem)
            since = same[1] if same and same[0] == content else now
            self._seen[path.stem] = content, since
            if now - since > seconds:
                return path.stem
        return ""

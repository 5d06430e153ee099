"""Local copies of objects, shared by all processes of a user, bounded in bytes.

    FACTMILL_CACHE/entries/<hash>/<name>    whole files and folders, addressed by content
    FACTMILL_CACHE/scratch/                 files being written

An entry appears with one rename, so it is either complete or absent. The least recently used
entries are removed first, but none that was used in the last minutes: by then its reader has opened
it, and an open or mapped file stays readable after removal. Knows nothing of servers.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from factmill.schemas.errors import OptionError

# Environment variables.
_FOLDER, _BYTES = "FACTMILL_CACHE", "FACTMILL_CACHE_BYTES"
_DEFAULT_BYTES = 20_000_000_000
# An entry stays this long after each use, even above the limit.
GRACE_SECONDS = 120.0
# Leftovers of killed processes are removed after this long.
_STALE_SECONDS = 86_400.0
# Of several processes that want an entry, one fetches it; unrelated entries rarely share a lock.
_FETCH_LOCKS = 256
# The folder is scanned after this process has added this share of the limit.
_LOOKS_PER_LIMIT = 20
_UNSAFE = re.compile(r"[^A-Za-z0-9._=@+-]")
_MAX_NAME = 100


@dataclass
class Cache:
    """A folder of entries."""

    root: Path
    limit: int
    grace: float = GRACE_SECONDS
    _added: int | None = field(default=None)

    def find(self, key: str, name: str) -> Path | None:
        """The entry of a key; None if it is missing."""
        entry = self._entry(key, name)
        return entry if self._use(entry) else None

    def get(self, key: str, name: str, fetch: Callable[[Path], object]) -> Path:
        """The entry of a key; `fetch` creates the file or folder if it is missing. It must not use
        the cache: two entries may share a lock.
        """
        entry = self._entry(key, name)
        if self._use(entry):
            return entry
        with self._locked(f"fetch.{int(entry.parent.name[:8], 16) % _FETCH_LOCKS:03d}"):
            if self._use(entry):
                return entry
            with self.scratch() as scratch:
                fetch(scratch / entry.name)
                self._settle(scratch, entry)
        return entry

    def put(self, key: str, name: str, file: Path) -> None:
        """Take over a file, which must be alone in a scratch folder of this cache."""
        entry = self._entry(key, name)
        with self.scratch() as scratch:
            os.replace(file, scratch / entry.name)
            self._settle(scratch, entry)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A temporary folder on the same disk, removed afterwards."""
        folder = Path(tempfile.mkdtemp(dir=self.root / "scratch"))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _entry(self, key: str, name: str) -> Path:
        """Path of an entry. Its name is for people and for code that checks suffixes; it cannot
        leave the folder.
        """
        digest = hashlib.sha256(f"{key}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
        safe = _UNSAFE.sub("_", name)[-_MAX_NAME:] or "_"
        return self.root / "entries" / digest / (f"_{safe}" if safe.startswith(".") else safe)

    def _use(self, entry: Path) -> bool:
        # A shared lock: while entries are removed, none is handed out.
        with self._locked("remove", fcntl.LOCK_SH):
            try:
                os.utime(entry.parent)
            except FileNotFoundError:
                return False
            return True

    def _settle(self, scratch: Path, entry: Path) -> None:
        """Move a scratch folder to its entry; an existing entry has the same content."""
        size = _size(scratch)
        whole = self.root / "scratch" / f"{scratch.name}.whole"
        os.rename(scratch, whole)
        os.utime(whole)
        try:
            os.rename(whole, entry.parent)
        except OSError:
            shutil.rmtree(whole, ignore_errors=True)
            if not self._use(entry):
                raise
        self._shrink(size)

    def _shrink(self, size: int) -> None:
        """After `size` bytes were added, remove the least recently used entries if the cache is
        over its limit.
        """
        if self._added is not None:
            self._added += size
            if self._added < self.limit // _LOOKS_PER_LIMIT:
                return
        self._added = 0
        now = time.time()
        self._remove_abandoned(now - _STALE_SECONDS)
        for folder in self._take_out(now - self.grace):
            shutil.rmtree(folder, ignore_errors=True)

    def _remove_abandoned(self, before: float) -> None:
        """Remove scratch folders not written to since `before`."""
        for leftover in (self.root / "scratch").iterdir():
            with suppress(FileNotFoundError):
                if leftover.stat().st_mtime < before:
                    shutil.rmtree(leftover, ignore_errors=True)

    def _take_out(self, before: float) -> list[Path]:
        """Rename entries not used since `before`, oldest first, until the others fit the limit;
        returns their new paths.
        """
        found = []
        for entry in (self.root / "entries").iterdir():
            with suppress(FileNotFoundError):
                found.append((entry.stat().st_mtime, _size(entry), entry))
        total = sum(size for _, size, _ in found)
        taken = []
        with self._locked("remove"):
            for used, size, entry in sorted(found):
                if total <= self.limit or used > before:
                    break
                with suppress(FileNotFoundError):
                    if entry.stat().st_mtime == used:  # still unused since it was listed
                        taken.append(self.root / "scratch" / f"{entry.name}.gone")
                        os.rename(entry, taken[-1])
                        total -= size
        return taken

    @contextmanager
    def _locked(self, name: str, how: int = fcntl.LOCK_EX) -> Iterator[None]:
        file = os.open(self.root / f"lock.{name}", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, how)
            yield
        finally:
            os.close(file)


def _size(folder: Path) -> int:
    """Bytes of the files below."""
    return sum(
        os.lstat(Path(parent, name)).st_size
        for parent, _, files in os.walk(folder)
        for name in files
    )


def machine_cache() -> Cache:
    """The cache of this machine and user. Raises OptionError when it cannot be made."""
    default = Path(tempfile.gettempdir(), f"factmill-cache-{os.getuid()}")
    return _opened(os.environ.get(_FOLDER) or str(default), os.environ.get(_BYTES))


@cache
def _opened(folder: str, limit: str | None) -> Cache:
    if limit is not None and not limit.isdecimal():
        raise OptionError(f"{_BYTES}={limit}: not a number of bytes")
    root = Path(folder)
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = os.lstat(root)
        # Another user may have made the folder first, where others can write.
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise OptionError(f"{root}: is not this user's folder; name another in {_FOLDER}")
        root.chmod(0o700)
        for name in ("entries", "scratch"):
            (root / name).mkdir(exist_ok=True)
    except OSError as error:
        raise OptionError(f"{root}: {error.strerror}; name another folder in {_FOLDER}") from None
    return Cache(root, int(limit) if limit else _DEFAULT_BYTES)

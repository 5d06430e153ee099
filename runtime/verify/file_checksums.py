"""Compares files with the sizes and checksums in their manifest.

A compared file is not read again: whoever keeps the `FileChecks` remembers its inode, size and
time. So a file that a new build shares with the previous one is read once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor

from factmill.models.encoding.device import cores
from factmill.schemas.errors import CorruptStore
from factmill.schemas.manifest import FileEntry
from factmill.schemas.storage.checksum import sha256_of
from factmill.schemas.storage.paths import StoragePath, local_copy
from factmill.schemas.storage.protocol import Listing

# Device, inode, size, time of the last change, and the file's checksum.
FileIdentity = tuple[int, int, int, int, str]

# A file written just now may be rewritten with the same timestamp.
_SETTLED_NANOSECONDS = 2_000_000_000


class FileChecks:
    """Compared files; `before` are those of an earlier check. Objects that are in `listing` are
    not asked for again. Thread-safe.
    """

    def __init__(
        self, before: Collection[FileIdentity] = (), listing: Listing | None = None
    ) -> None:
        self._before = before
        self._listing = listing
        self.compared: set[FileIdentity] = set()

    def __reduce__(self) -> tuple[object, ...]:
        return FileChecks, (tuple(self.compared),)

    def compare(
        self, folder: StoragePath, file: FileEntry, at_block: Callable[[], object] | None = None
    ) -> None:
        """Raises CorruptStore unless a file below a folder matches its manifest entry, OSError when
        it is missing or cannot be read. `at_block` is called now and then, and may raise.
        """
        path = local_copy(folder / file.path, file.bytes, self._listing)
        status = path.stat()
        identity = (
            status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, file.sha256
        )  # fmt: skip
        if identity not in self._before and identity not in self.compared:
            if sha256_of(path, at_block) != file.sha256:
                raise CorruptStore(f"{folder / file.path}: not the bytes that were written")
            if time.time_ns() < status.st_mtime_ns + _SETTLED_NANOSECONDS:
                return
        self.compared.add(identity)

    def fault(self, folder: StoragePath, file: FileEntry) -> str:
        """The fault of a file, beginning with its name below the folder; "" for none."""
        try:
            self.compare(folder, file)
        except FileNotFoundError:
            return f"{file.path}: missing"
        except CorruptStore:
            return f"{file.path}: not the bytes that were written"
        except OSError as error:
            return f"{file.path}: {error.strerror}"
        return ""

    def faults(self, folder: StoragePath, files: Sequence[FileEntry]) -> list[str]:
        """The faults of files, in order; uses all cores."""
        with ThreadPoolExecutor(cores(), "factmill-checksums") as threads:
            found = threads.map(lambda file: self.fault(folder, file), files)
            return [fault for fault in found if fault]


def corrupt(root: StoragePath, faults: Sequence[str]) -> CorruptStore:
    """The error for a faulty build: the first fault, and how many more there are."""
    first, *others = faults
    more = f", and {len(others)} more {'faults' if others[1:] else 'fault'}" if others else ""
    return CorruptStore(f"{root}: {first}{more}")

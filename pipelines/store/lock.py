"""One build at a time: a lock on a store, held by a lease that its owner renews.

    STORE/lock/0000000007     the file with the highest number is the lock; it names its holder

Taking the lock means creating the file with the next number, which only one process can do. While
it lives, the owner keeps rewriting its file with a higher renewal count. A process that finds the
lock held watches the file: the lock is held while the file changes, and free once it has not
changed for the length of a lease by the watcher's own clock, so no two clocks are compared. A dead
process on the same machine is noticed at once. The newest file is never removed, so no number
occurs twice.

This needs only what an object store has: put if absent, overwrite, list. A Lease knows nothing of
the work done under it.
"""

from __future__ import annotations

import errno
import threading
import time
from contextlib import suppress

from factmill.pipelines.store.lock_owner import Owner
from factmill.schemas.errors import (
    NOT_WRITABLE,
    BuildError,
    CorruptStore,
    Locked,
    OptionError,
    ReadOnlyStore,
    Unreachable,
)
from factmill.schemas.layout import Store
from factmill.schemas.storage.atomic import make_folder, overwrite, put_if_absent, remove_all
from factmill.schemas.storage.paths import StoragePath, matching, read_start, version

BUILD, GC = "build", "gc"
LEASE_SECONDS = 60.0
_RENEWALS_A_LEASE = 4
_LOOKS_A_LEASE = 100
# The size limit of a lock file; a longer file is not one.
_MAX_BYTES = 4096
_DIGITS = 10
_FREE = b"free\n"
# Errors of a path that cannot be a store.
_NO_FOLDER = (*NOT_WRITABLE, errno.ENOENT, errno.ENAMETOOLONG)


class Lease:
    """A lock that is held: renewed by a thread until it is released."""

    def __init__(self, folder: StoragePath, number: int, owner: Owner, seconds: float) -> None:
        self.owner = owner
        self._folder, self._number, self._seconds = folder, number, seconds
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="factmill-lease", daemon=True)
        self._thread.start()

    @classmethod
    def take(cls, store: Store, doing: str, seconds: float = LEASE_SECONDS) -> Lease:
        """Take the lock of a store, if necessary from a dead owner, which may take `seconds`.

        Raises Locked when another process holds it, OptionError when there can be no store,
        ReadOnlyStore when there is one, CorruptStore when its newest file is not a lock file.
        """
        folder, owner = _lock_folder(store), Owner.this_process(doing)
        while True:
            newest = _newest(folder)
            if newest:
                _wait_until_free(store, folder / _name(newest), seconds)
            number = newest + 1
            if not _create(store, folder / _name(number), owner):
                continue  # somebody was quicker
            if _newest(folder) == number:
                remove_all([folder / _name(older) for older in _numbers(folder) if older < number])
                return cls(folder, number, owner, seconds)
            (folder / _name(number)).unlink(missing_ok=True)

    def check(self) -> None:
        """Raises Locked when another process took over because this one was silent for too long."""
        if _newest(self._folder) != self._number:
            raise Locked(f"{self._folder.parent}: another build took over from this one")

    def release(self) -> None:
        """Let other processes take the lock."""
        self._ended.set()
        self._thread.join()
        # If even this fails, the lease expires.
        with suppress(OSError, Unreachable):
            overwrite(self._folder / _name(self._number), _FREE)

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def _renew(self) -> None:
        renewals = 0
        while not self._ended.wait(self._seconds / _RENEWALS_A_LEASE):
            renewals += 1
            # A temporary failure costs one renewal; `check` notices a lost lock.
            with suppress(OSError, Unreachable):
                overwrite(self._folder / _name(self._number), self.owner.written(renewals))


def _lock_folder(store: Store) -> StoragePath:
    """The folder of lock files, created if needed. Raises OptionError when there can be none."""
    folder = store.root / "lock"
    try:
        make_folder(folder)
    except (FileExistsError, NotADirectoryError):
        raise OptionError(f"{store.root}: not a folder") from None
    except OSError as error:
        # A full disk is not a wrong option: `ClearErrors` reports it.
        if error.errno not in _NO_FOLDER:
            raise
        raise _refused(store, error) from None
    return folder


def _wait_until_free(store: Store, path: StoragePath, seconds: float) -> None:
    """Return when the lock of this file is free. Raises Locked when it is held, CorruptStore when
    it cannot be read.
    """
    first: tuple[bytes, tuple[int, str]] | None = None
    held = False
    # Count looks, not seconds: a machine that slept saw nothing in between.
    for _ in range(_LOOKS_A_LEASE):
        try:
            content, changed = read_start(path, _MAX_BYTES), version(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise CorruptStore(f"{path}: not a lock ({error.strerror})") from None
        owner = Owner.read(content)
        if content.startswith(_FREE) or (owner and owner.dead):
            return
        first = first or (content, changed)
        held = (content, changed) != first or (owner is not None and owner.dead is False)
        # Wait for the garbage collector, which is quick, but not for a build.
        if held and not (owner and owner.doing == GC):
            raise Locked(_held_line(store, owner))
        time.sleep(seconds / _LOOKS_A_LEASE)
    if held:
        raise Locked(_held_line(store, owner))


def _held_line(store: Store, owner: Owner | None) -> str:
    who = "another process"
    if owner:
        who = f"process {owner.pid} on {owner.host} ({owner.doing}, since {owner.since})"
    return f"{store.root}: {who} is at work there; nothing was done"


def _name(number: int) -> str:
    return f"{number:0{_DIGITS}d}"


def _numbers(folder: StoragePath) -> list[int]:
    names = [path.name for path in matching(folder, "[0-9]" * _DIGITS + "*")]
    return [int(name) for name in names if name.isdecimal()]


def _newest(folder: StoragePath) -> int:
    return max(_numbers(folder), default=0)


def _create(store: Store, path: StoragePath, owner: Owner) -> bool:
    """Put if absent."""
    try:
        return put_if_absent(path, owner.written(0))
    except OSError as error:
        if error.errno in _NO_FOLDER:
            raise _refused(store, error) from None
        raise BuildError(f"{path}: {error.strerror}") from None


def _refused(store: Store, error: OSError) -> OptionError:
    """The error for a store in which no lock can be made."""
    if error.errno in NOT_WRITABLE and store.current.is_file():
        return ReadOnlyStore(store.root, error.strerror)
    return OptionError(f"{store.root}: {error.strerror}")

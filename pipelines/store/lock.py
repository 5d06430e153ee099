"""One build at a time: a lock on a store, held by a lease that its owner renews.

    STORE/lock/0000000007     the file with the highest number is the lock; it says who holds it

To take the lock is to make the next number, which only one can do. The owner writes its file again
as long as it lives, with another count of renewals. Who finds the lock held watches the file: it is
held while that changes, and free when it did not change for the length of a lease by the watcher's
own clock, so no two clocks are compared. A dead process of the same machine is seen at once. The
newest file is never removed, so that no number comes twice.

Nothing here needs more than an object store has: put if absent, put again, list. A Lease knows
nothing of what is done under it.
"""

from __future__ import annotations

import errno
import threading
import time
from contextlib import suppress

from factmill.pipelines.store.lock_owner import Owner
from factmill.schemas.errors import BuildError, CorruptStore, Locked, OptionError, Unreachable
from factmill.schemas.layout import Store
from factmill.schemas.storage.atomic import make_folder, overwrite, put_if_absent, remove_all
from factmill.schemas.storage.paths import StoragePath, matching, read_start, version

BUILD, GC = "build", "gc"
LEASE_SECONDS = 60.0
_RENEWALS_A_LEASE = 4
_LOOKS_A_LEASE = 100
# What a lock file may have; whatever is longer was not written here.
_MAX_BYTES = 4096
_DIGITS = 10
_FREE = b"free\n"
# Errors of a path where there can be no store.
_NO_FOLDER = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENAMETOOLONG)


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
        """Take the lock of a store, from a dead owner if need be, which may take `seconds`.

        Raises Locked when somebody holds it, OptionError when there can be no store, CorruptStore
        when its newest file is none.
        """
        folder, owner = _lock_folder(store), Owner.this_process(doing)
        while True:
            newest = _newest(folder)
            if newest:
                _wait_until_free(store, folder / _name(newest), seconds)
            number = newest + 1
            if not _create(folder / _name(number), owner):
                continue  # somebody was quicker
            if _newest(folder) == number:
                remove_all([folder / _name(older) for older in _numbers(folder) if older < number])
                return cls(folder, number, owner, seconds)
            (folder / _name(number)).unlink(missing_ok=True)

    def check(self) -> None:
        """Raises Locked when somebody took over, because this process was not seen for long."""
        if _newest(self._folder) != self._number:
            raise Locked(f"{self._folder.parent}: another build took over from this one")

    def release(self) -> None:
        """Let others have the lock."""
        self._ended.set()
        self._thread.join()
        # Where even this fails, the lease runs out.
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
            # What fails for a moment costs a renewal; `check` finds what was lost.
            with suppress(OSError, Unreachable):
                overwrite(self._folder / _name(self._number), self.owner.written(renewals))


def _lock_folder(store: Store) -> StoragePath:
    """The folder of lock files, which is made. Raises OptionError when there can be none."""
    folder = store.root / "lock"
    try:
        make_folder(folder)
    except (FileExistsError, NotADirectoryError):
        raise OptionError(f"{store.root}: not a folder") from None
    except OSError as error:
        # A full disk is no wrong option: it is named where errors of workers are.
        if error.errno not in _NO_FOLDER:
            raise
        raise OptionError(f"{store.root}: {error.strerror}") from None
    return folder


def _wait_until_free(store: Store, path: StoragePath, seconds: float) -> None:
    """Return when nobody holds the lock of this file. Raises Locked when somebody does,
    CorruptStore when it cannot be read."""
    first: tuple[bytes, tuple[int, str]] | None = None
    held = False
    # Looks are counted, not seconds: a machine that slept saw nothing meanwhile.
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
        # The garbage collector is done in a moment; the end of a build is not waited for.
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


def _create(path: StoragePath, owner: Owner) -> bool:
    """Put if absent."""
    try:
        return put_if_absent(path, owner.written(0))
    except OSError as error:
        if error.errno in _NO_FOLDER:
            raise OptionError(f"{path}: {error.strerror}") from None
        raise BuildError(f"{path}: {error.strerror}") from None

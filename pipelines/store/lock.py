"""One build at a time: a lock on a store, held by a lease that its owner renews.

    STORE/lock/0000000007     the file with the highest number is the lock; it says who holds it

To take the lock is to make the next number, which only one can do. The owner touches its file as
long as it lives. Who finds the lock held watches the file: it is held while that changes, and free
when it did not change for the length of a lease by the watcher's own clock, so no two clocks are
compared. A dead process of the same machine is seen at once. The newest file is never removed, so
that no number comes twice.

In an object store the owner puts its file again, with another count of renewals in it. Nothing here
needs more than such a store has: put if absent, put again, list. A Lease knows nothing of what is
done under it.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path

from factmill.schemas.errors import BuildError, Locked, OptionError, Unreachable
from factmill.schemas.layout import Store
from factmill.schemas.storage.atomic import make_folder, overwrite, put_if_absent, remove_all, touch
from factmill.schemas.storage.paths import StoragePath, read_start, version

BUILD, GC = "build", "gc"
LEASE_SECONDS = 60.0
_RENEWALS_A_LEASE = 4
_LOOKS_A_LEASE = 100
# What a lock file may have; whatever is longer was not written here.
_MAX_BYTES = 4096
_FREE = b"free\n"


@dataclass(frozen=True, slots=True)
class Owner:
    """Who holds a lock. `place` names a machine and its processes, `began` tells two processes of
    one number apart; both are "" where the system does not say. `since` is for people."""

    token: str
    doing: str
    host: str
    pid: int
    place: str
    began: str
    since: str

    @classmethod
    def this_process(cls, doing: str) -> Owner:
        pid = os.getpid()
        since = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
        token = secrets.token_hex(8)
        return cls(token, doing, socket.gethostname(), pid, _place(), _began(pid), since)

    @property
    def dead(self) -> bool | None:
        """Whether the process has ended; None when it cannot be seen from here."""
        if not self.place or self.place != _place():
            return None
        return _began(self.pid) != self.began


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

        Raises Locked when somebody holds it, OptionError when there can be no store.
        """
        folder, owner = store.root / "lock", Owner.this_process(doing)
        try:
            make_folder(folder)
        except (FileExistsError, NotADirectoryError):
            raise OptionError(f"{store.root}: not a folder") from None
        except PermissionError as error:
            raise OptionError(f"{store.root}: {error.strerror}") from None
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
                touch(self._folder / _name(self._number), _content(self.owner, renewals))


def _wait_until_free(store: Store, path: StoragePath, seconds: float) -> None:
    """Return when nobody holds the lock of this file. Raises Locked when somebody does."""
    first: tuple[bytes, tuple[int, str]] | None = None
    held = False
    # Looks are counted, not seconds: a machine that slept saw nothing meanwhile.
    for _ in range(_LOOKS_A_LEASE):
        try:
            now = _read(path)
        except FileNotFoundError:
            return
        owner = _owner(now[0])
        if now[0].startswith(_FREE) or (owner and owner.dead):
            return
        first = first or now
        held = now != first or (owner is not None and owner.dead is False)
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
    return f"{number:010d}"


def _numbers(folder: StoragePath) -> list[int]:
    names = (path.name for path in folder.iterdir())
    return [int(name) for name in names if name.isdecimal() and len(name) == 10]


def _newest(folder: StoragePath) -> int:
    try:
        return max(_numbers(folder), default=0)
    except FileNotFoundError:
        return 0


def _create(path: StoragePath, owner: Owner) -> bool:
    """Put if absent."""
    try:
        return put_if_absent(path, _content(owner, 0))
    except PermissionError as error:
        raise OptionError(f"{path}: {error.strerror}") from None
    except OSError as error:
        raise BuildError(f"{path}: {error.strerror}") from None


def _content(owner: Owner, renewals: int) -> bytes:
    return f"{json.dumps(asdict(owner))}\n{renewals}\n".encode()


def _read(path: StoragePath) -> tuple[bytes, tuple[int, str]]:
    """Content, and what changes with each renewal."""
    return read_start(path, _MAX_BYTES), version(path)


def _owner(content: bytes) -> Owner | None:
    """None for what an owner is still writing, or died writing."""
    try:
        owner = Owner(**json.loads(content.partition(b"\n")[0]))
    except (ValueError, TypeError, RecursionError):
        return None
    return owner if isinstance(owner.pid, int) else None


def _place() -> str:
    """This boot of this machine, and which of its process tables is seen; "" if it does not say."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _began(pid: int) -> str:
    """When a process began, in the kernel's own count; "" when it is not running."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *rest = stat.rpartition(")")[2].split()
    return "" if state in "ZX" else rest[18]

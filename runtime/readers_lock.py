"""Marks a build as being read: a shared lock on its manifest while it is open.

Locks are the kernel's (flock), so they end with their process, however it ends, and need no write
permission. On a file system without locks nothing is held: mapped files stay readable after
deletion, so only files opened later could be missing.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from factmill.schemas.errors import CorruptStore
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.paths import local_copy


def hold(build: BuildDir) -> int:
    """A file descriptor that keeps the garbage collector away until it is closed. Raises
    CorruptStore for a build without a manifest, perhaps because it is being deleted.
    """
    try:
        file = os.open(local_copy(build.manifest), os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise CorruptStore(f"{build.manifest}: {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise CorruptStore(f"{build.root}: is being deleted") from None
    except OSError:
        pass  # no locks here
    return file


@contextmanager
def holding(build: BuildDir) -> Iterator[None]:
    """Hold a build within the block. Raises CorruptStore as `hold` does."""
    file = hold(build)
    try:
        yield
    finally:
        os.close(file)


@contextmanager
def without_readers(build: BuildDir) -> Iterator[bool]:
    """Whether the build has no readers; if so, none can begin until the block ends."""
    try:
        file = os.open(local_copy(build.manifest), os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        yield True
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = True
    except BlockingIOError:
        free = False
    except OSError:
        free = True  # no locks here
    try:
        yield free
    finally:
        os.close(file)

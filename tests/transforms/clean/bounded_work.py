"""Work for test_bounded: importable, so that the child process finds it."""

from __future__ import annotations

import errno
import os
import re
import signal
import time

_prepared = bytearray()
_kept: list[bytes] = []


def prepare() -> None:
    """Takes longer and more than an item may."""
    _prepared.extend(bytes(500_000_000))
    began = time.process_time()
    while time.process_time() < began + 0.3:
        pass


def load_matrices() -> None:
    import numpy

    assert numpy.linalg.norm(numpy.ones(2)) > 1


def fail() -> None:
    os._exit(3)


def fill_the_disk() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def work(item: tuple[str, int]) -> object:
    what, size = item
    if what == "spin":
        while True:
            pass
    if what == "stuck in C":
        return re.match(r"(a+)+$", "a" * 64 + "b")
    if what == "sleep":
        signal.pause()
    if what == "memory":
        return len(bytearray(size))
    if what == "keep":
        _kept.append(b"x" * size)
        return size
    if what == "die":
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if what.startswith("killed once "):
        marker = what.removeprefix("killed once ")
        if not os.path.exists(marker):
            open(marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return "done"
    if what == "raise":
        raise KeyError(size)
    if what == "prepared":
        return len(_prepared)
    if what == "threads":
        import threadpoolctl

        return max(library["num_threads"] for library in threadpoolctl.threadpool_info())
    if what == "pid":
        return os.getpid()
    return what * size

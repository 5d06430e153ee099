"""Work for test_bounded: importable, so that the child process finds it."""

from __future__ import annotations

import os
import re
import signal


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
    if what == "die":
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "raise":
        raise KeyError(size)
    if what == "pid":
        return os.getpid()
    return what * size

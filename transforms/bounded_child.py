"""The child of `bounded`: reads items from a pipe, works on them within limits, writes results."""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import signal
import struct
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

# Exit status for an item that needed more memory than it may have.
OUT_OF_MEMORY = 77
# Asks for the last answer: no item follows for now.
NOTHING_MORE = b""
_LENGTH = struct.Struct(">Q")
# Wall time is bounded too, for a machine that swaps or work that waits.
_WALL_SECONDS_PER_SECOND = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """What one item may take: seconds of processor time, and megabytes above the idle process."""

    seconds: float
    megabytes: int


def write_frame(stream: BinaryIO, frame: bytes) -> None:
    """Write a frame of any length to an unbuffered stream."""
    for piece in (_LENGTH.pack(len(frame)), frame):
        rest = memoryview(piece)
        while rest:
            rest = rest[stream.write(rest) :]


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next frame, or None at the end of the stream."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    frame = stream.read(length)
    return frame if len(frame) == length else None


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Answer every item until the source ends."""
    first = read_frame(source)
    if first is None:
        return
    work, limits, prepare = pickle.loads(first)
    if prepare is not None:
        prepare()
    _bound_memory(limits.megabytes)
    write_frame(sink, b"ready")
    frame = read_frame(source)
    while frame is not None:
        if frame == NOTHING_MORE:
            frame = read_frame(source)
            continue
        answer = _answer(work, frame, limits.seconds)
        # Read before answering: if both sides wrote into full pipes, both would wait for ever.
        frame = read_frame(source)
        write_frame(sink, answer)


def _answer(work: Callable[[Any], Any], frame: bytes, seconds: float) -> bytes:
    try:
        _arm(seconds)
        answer = pickle.dumps((True, work(pickle.loads(frame))), pickle.HIGHEST_PROTOCOL)
        _arm(0)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except Exception as error:
        _arm(0)
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(where.filename)}:{where.lineno}"
        return pickle.dumps((False, f"{type(error).__name__} in {place}: {error}"[:500]))
    return answer


def _arm(seconds: float) -> None:
    """Let the kernel end this process after so much time, or never (0)."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * _WALL_SECONDS_PER_SECOND)


def _bound_memory(megabytes: int) -> None:
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:
            pages = int(stream.read().split()[0])
    except OSError:
        return  # without /proc (macOS) the limit is not kept by the kernel either
    limit = pages * resource.getpagesize() + megabytes * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    for alarm in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(alarm, signal.SIG_DFL)
    with contextlib.suppress(BrokenPipeError):  # the parent is gone
        serve(os.fdopen(int(sys.argv[1]), "rb"), os.fdopen(int(sys.argv[2]), "wb", 0))

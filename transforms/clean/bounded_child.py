"""The child of `bounded_process`: reads items from a pipe, processes them within limits, writes
results.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import resource
import signal
import struct
import sys
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO

from threadpoolctl import threadpool_limits

import factmill

# Exit status for an item that exceeded its memory limit.
OUT_OF_MEMORY = 77
# Exit status of a child that stops because earlier items left too little room for the next ones.
GROWN = 78
# Requests the last answer: no item follows for now.
NOTHING_MORE = b""
# The first answer, unless it says why the child ends instead.
READY = b"ready"
_LENGTH = struct.Struct(">Q")
# Wall time is bounded too, in case the machine swaps or the work waits.
WALL_SECONDS_PER_SECOND = 5
_PACKAGE = os.path.join(os.path.dirname(factmill.__file__), "")
_MAX_TRACEBACK_CHARACTERS = 4000
# The share of an item's memory limit that may stay occupied afterwards.
_KEPT_SHARE = 0.25


def write_frame(stream: BinaryIO, frame: bytes) -> None:
    """Write a frame of any length to an unbuffered stream."""
    for part in (_LENGTH.pack(len(frame)), frame):
        rest = memoryview(part)
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
        try:
            prepare()
        except OSError as error:  # such as a full disk: the owner says so
            write_frame(sink, str(error).encode())
            return
    # Matrix libraries start a thread for each core, and these busy-wait for each other: on the
    # small matrices of an item that costs more than it saves. Other cores have their own children.
    threadpool_limits(1)
    gc.freeze()  # no item leaves anything of the models and modules to collect
    room = limits.megabytes * 1_000_000
    size, resident = _memory()
    write_frame(sink, READY)
    frame = read_frame(source)
    while frame is not None:
        if frame == NOTHING_MORE:
            frame = read_frame(source)
            continue
        answer = _answer(work, frame, limits.seconds, size + room)
        # Read before answering: if both sides wrote into full pipes, both would wait forever.
        frame = read_frame(source)
        write_frame(sink, answer)
        if _memory()[1] > resident + _KEPT_SHARE * room:
            sys.exit(GROWN)


def _answer(work: Callable[[Any], Any], frame: bytes, seconds: float, size: int) -> bytes:
    try:
        _bound(seconds, size)
        answer = pickle.dumps((True, work(pickle.loads(frame))), pickle.HIGHEST_PROTOCOL)
        _bound()
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except Exception as error:  # whatever a library raises of one page must not end the others
        _bound()
        trace = "".join(traceback.format_tb(error.__traceback__))[-_MAX_TRACEBACK_CHARACTERS:]
        return pickle.dumps((False, (f"{_location(error)}: {error}"[:500], trace)))
    return answer


def _location(error: Exception) -> str:
    """The type of an error and where it was raised: in the last frame of this package, if the work
    is of this package.
    """
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames[1:] if frame.filename.startswith(_PACKAGE)]
    where = (ours or frames)[-1]
    file = where.filename.removeprefix(_PACKAGE) if ours else os.path.basename(where.filename)
    return f"{type(error).__name__} in {file}:{where.lineno}"


def _bound(seconds: float = 0, size: int = resource.RLIM_INFINITY) -> None:
    """Let the kernel end this process after this much time, and limit its address space to `size`.
    Without arguments, remove both limits.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * WALL_SECONDS_PER_SECOND)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard != resource.RLIM_INFINITY:
        size = hard if size == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_AS, (size, hard))


def _memory() -> tuple[int, int]:
    """Address space and resident memory of this process."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:
            size, resident, *_ = map(int, stream.read().split())
    except OSError:
        return sys.maxsize // 2, 0  # no /proc (macOS): the kernel there does not keep the limit
    return size * resource.getpagesize(), resident * resource.getpagesize()


def serve_pipes(source: int, sink: int) -> None:
    """Serve two pipes until the parent closes them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    for alarm in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(alarm, signal.SIG_DFL)
    with contextlib.suppress(BrokenPipeError):  # the parent is gone
        serve(os.fdopen(source, "rb"), os.fdopen(sink, "wb", 0))

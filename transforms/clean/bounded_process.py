"""Processes untrusted items in a child process, which the kernel ends when an item takes too long.

A thread cannot be stopped while it is inside a C library, but a process can. The child sets a timer
before every item and its memory is limited; when it dies, the item responsible is named and the
rest goes to a new child. Knows nothing of pages.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Generic, TypeVar

from factmill.transforms.clean.bounded_child import (
    GROWN,
    NOTHING_MORE,
    OUT_OF_MEMORY,
    READY,
    WALL_SECONDS_PER_SECOND,
    read_frame,
    serve_pipes,
    write_frame,
)
from factmill.transforms.clean.item_limits import Limits
from factmill.transforms.tasks.fork_server import ForkedProcess, fork

Item = TypeVar("Item")
Result = TypeVar("Result")
_PIPE_BYTES = 1 << 20
_NO_ITEM = object()
# The child uses this process's module path, without the working directory in front.
_CHILD = """
import sys
sys.path[:] = sys.argv[3:]
from factmill.transforms.clean.bounded_child import serve_pipes
serve_pipes(int(sys.argv[1]), int(sys.argv[2]))
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """Why an item has no result: `too_slow`, `too_much_memory`, `crashed` (the process died) or
    `failed` (the work raised an unexpected error, whose location `detail` names).
    """

    reason: str
    detail: str
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class _FromChild(Generic[Result]):
    """The child's reply. It does not include how the child ended."""

    value: Result | Ended


class BoundedProcess(Generic[Item, Result]):
    """Applies `work` to items in a child process, one item at a time, each within the limits.

    `work`, items and results are pickled, so `work` must be importable or a partial of an
    importable function. One item is in the pipe while another one is processed, so that neither
    process waits for the other.
    """

    def __init__(
        self,
        work: Callable[[Item], Result],
        limits: Limits,
        prepare: Callable[[], object] | None = None,
    ) -> None:
        """`prepare` is called once in every new child, outside the limits."""
        self._work, self._limits, self._prepare = work, limits, prepare
        self._child: ForkedProcess | subprocess.Popen[bytes] | None = None
        self._killed = False
        self._to: BinaryIO
        self._from: BinaryIO

    def map(self, items: Iterable[Item]) -> Iterator[tuple[Item, Result | Ended]]:
        """Each item with its result, in order. The next items are drawn while earlier ones run."""
        source = iter(items)
        waiting: deque[Item] = deque()
        more = True
        if self._child is not None and self._child.poll() is not None:
            self.close()  # it ended since the last call, of none of these items
        try:
            while True:
                while more and len(waiting) < 2:
                    item = next(source, _NO_ITEM)
                    more = item is not _NO_ITEM
                    if more:
                        waiting.append(item)  # type: ignore[arg-type]
                        self._send(pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
                    elif waiting:
                        self._send(NOTHING_MORE)
                if not waiting:
                    return
                answer = self._answer()
                if isinstance(answer, _FromChild):
                    yield waiting.popleft(), answer.value
                    continue
                self.close()
                again = list(waiting)[0 if answer is None else 1 :]
                for item in again:
                    self._send(pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
                if again and not more:
                    self._send(NOTHING_MORE)
                if answer is not None:
                    yield waiting.popleft(), answer
        finally:
            if waiting:  # given up halfway: the answers that are still to come belong to nobody
                self.close()

    def close(self) -> None:
        """End the child. The next `map` starts another one."""
        if self._child is not None:
            atexit.unregister(self.close)
            for pipe in (self._to, self._from):
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
            self._child.kill()
            self._child.wait()
            self._child = None

    def _send(self, frame: bytes) -> None:
        if self._child is None:
            self._start()
        # A dead child is noticed when its answer is read.
        with contextlib.suppress(BrokenPipeError):
            write_frame(self._to, frame)

    def _answer(self) -> _FromChild[Result] | Ended | None:
        """The answer to the oldest item, or how the child ended on it; None if it had ended
        before.
        """
        frame = read_frame(self._from)
        if frame is not None:
            self._killed = False
            ok, value = pickle.loads(frame)  # our own child wrote it
            return _FromChild(value if ok else Ended("failed", *value))
        assert self._child is not None
        status, seconds = self._child.wait(), self._limits.seconds
        # Nothing here sends that signal, so the item may not be the cause: try it once more.
        self._killed = status == -signal.SIGKILL and not self._killed
        if status == GROWN or self._killed:
            return None
        if status == -signal.SIGPROF:
            return Ended("too_slow", f"over {seconds:g} s of processor time")
        if status == -signal.SIGALRM:
            return Ended("too_slow", f"over {WALL_SECONDS_PER_SECOND * seconds:g} s")
        if status == OUT_OF_MEMORY:
            return Ended("too_much_memory", f"over {self._limits.megabytes} MB")
        return Ended("crashed", f"the process ended with {_status_name(status)}")

    def _start(self, once_more: bool = True) -> None:
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        _widen(ours_out)
        _widen(theirs_out)
        self._child = fork(serve_pipes, theirs_in, theirs_out) or subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(theirs_in), str(theirs_out), *sys.path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(theirs_in, theirs_out),
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._to, self._from = os.fdopen(ours_out, "wb", 0), os.fdopen(ours_in, "rb")
        atexit.register(self.close)
        self._send(pickle.dumps((self._work, self._limits, self._prepare)))
        answer = read_frame(self._from)
        if answer != READY:
            status = self._child.wait()
            if once_more and status == -signal.SIGKILL:
                self.close()
                self._start(once_more=False)
                return
            why = answer.decode() if answer else _status_name(status)
            raise RuntimeError(f"the process for pages did not start ({why})")


def _widen(pipe: int) -> None:
    """Enlarge the pipe to hold a typical page; if that fails, one side waits for the other."""
    try:
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    except (ImportError, AttributeError, OSError):
        return


def _status_name(status: int) -> str:
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"status {status}"

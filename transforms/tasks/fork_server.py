"""Forks processes from one that has imported what they need: importing Beam, and what extracts
pages, takes seconds.

A process that runs threads cannot be forked safely, and Beam's runner starts some that never end.
So the command forks a server at its beginning, and the server, which has no threads, forks all
others. Without a server (no Linux, or a program of another kind), callers start new interpreters.

    command, worker --- request: function, files, one end of a connection ---> server
    command, worker <-- connection: process id, then exit status -----------   server

The connection is the life of the process. When the end of its owner closes, because the owner was
killed or asks for it, the server kills the process. The server ends with the last of its owners,
and each of its processes is one. So whoever waits for the server must end its processes before.
"""

from __future__ import annotations

import atexit
import gc
import os
import selectors
import signal
import socket
import struct
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import NoReturn, cast
from weakref import WeakSet

_NUMBER = struct.Struct("=i")
_MAX_NAME, _MAX_FILES = 500, 5
# The end of the server's socket that requests are written to. It has no threads to protect it from:
# each request is one message.
_requests: socket.socket | None = None
_server_pid = 0
_allowed = False
# Those that this process owns.
_processes: WeakSet[ForkedProcess] = WeakSet()


class ForkedProcess:
    """A process of the server's, with the methods of `subprocess.Popen` that callers use."""

    def __init__(self, connection: socket.socket, pid: int) -> None:
        self.pid = pid
        self._connection = connection
        self._status: int | None = None
        _processes.add(self)

    def wait(self) -> int:
        """The exit status, negative for a signal, once the process has ended."""
        if self._status is None:
            self._status = self._received()
        return self._status

    def poll(self) -> int | None:
        """The exit status, or None while the process runs."""
        if self._status is None:
            with suppress(BlockingIOError):
                self._status = self._received(socket.MSG_DONTWAIT)
        return self._status

    def kill(self) -> None:
        """Have the process killed, if it still runs."""
        if self._status is None:
            with suppress(OSError):  # the server is gone
                self._connection.shutdown(socket.SHUT_WR)

    def _received(self, flags: int = 0) -> int:
        """The exit status that the server sends. Raises BlockingIOError if there is none yet and
        `flags` say not to wait.
        """
        answer = self._connection.recv(_NUMBER.size, flags)
        self._connection.close()
        # Without an answer, the server is gone, and somebody killed it.
        return int(_NUMBER.unpack(answer)[0]) if answer else -signal.SIGKILL


def allow() -> None:
    """Allow `start` in this process; for the beginning of a command, whose process is its own.
    Libraries of other programs may have started threads that Python does not see.
    """
    global _allowed
    _allowed = hasattr(os, "pidfd_open")  # Linux


def start() -> None:
    """Start the server, where that is allowed, once what its processes share is imported."""
    global _requests, _server_pid
    if not _allowed or _requests is not None or threading.active_count() > 1:
        return
    requests, received = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    _server_pid = os.fork()
    if _server_pid == 0:
        _end_with(lambda: _Server(received).run())
    received.close()
    _requests = requests


def stop() -> None:
    """End the server and its processes, such as idle ones, and wait for it."""
    global _requests
    if _requests is not None:
        for process in list(_processes):
            process.kill()
        _requests.close()
        _requests = None
        os.waitpid(_server_pid, 0)


def load(function: Callable[[], object]) -> None:
    """Have the server call an importable function, so that later processes have its results. Does
    nothing without a server.
    """
    if _requests is not None:
        _requests.send(_name(function))


def fork(function: Callable[..., object], *files: int) -> ForkedProcess | None:
    """A process that calls an importable function with these open files, and can fork others. None
    without a server.
    """
    if _requests is None:
        return None
    connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        passed = [theirs.fileno(), _requests.fileno(), *files]
        try:
            socket.send_fds(_requests, [_name(function)], passed)
        except OSError:  # it was killed
            connection.close()
            return None
    answer = connection.recv(_NUMBER.size)
    return ForkedProcess(connection, *_NUMBER.unpack(answer)) if answer else None


def _name(function: Callable[..., object]) -> bytes:
    return f"{function.__module__}:{function.__qualname__}".encode()


def _named(name: bytes) -> Callable[..., object]:
    module, _, function = name.decode().partition(":")
    return cast("Callable[..., object]", getattr(import_module(module), function))


class _Server:
    """Waits for requests, for the end of processes, and for the end of their owners."""

    def __init__(self, requests: socket.socket) -> None:
        _close_all_but(requests.fileno())
        with open(os.devnull, "r+b") as nothing:  # the command's results alone go to its output
            os.dup2(nothing.fileno(), 0)
            os.dup2(nothing.fileno(), 1)
        # The command decides what it means.
        self._interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.freeze()  # what the command made is never collected here, nor by those forked
        self._requests, self._selector = requests, selectors.DefaultSelector()
        self._selector.register(requests, selectors.EVENT_READ, self._answer)

    def run(self) -> None:
        """Serve until all who could send requests have ended."""
        while self._selector.get_map():
            for key, _ in self._selector.select():
                key.data()

    def _answer(self) -> None:
        name, files, *_ = socket.recv_fds(self._requests, _MAX_NAME, _MAX_FILES)
        if not name:
            self._selector.unregister(self._requests)
        elif not files:
            with suppress(OSError):  # such as a full disk; who needs the results fails as well
                _named(name)()
        else:
            self._fork(_named(name), *files)

    def _fork(self, function: Callable[..., object], owner: int, *files: int) -> None:
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGINT, self._interrupt)
            _become(function, *files)
        for file in files:
            os.close(file)
        child = _Child(pid, socket.socket(fileno=owner), self._selector)
        child.tell(pid)


class _Child:
    """A process of the server's, and the connection to its owner."""

    def __init__(
        self, pid: int, connection: socket.socket, selector: selectors.BaseSelector
    ) -> None:
        self._pid, self._connection, self._selector = pid, connection, selector
        self._process = os.pidfd_open(pid)
        self._owned = self._runs = True
        selector.register(connection, selectors.EVENT_READ, self._kill)
        selector.register(self._process, selectors.EVENT_READ, self._report)

    def tell(self, number: int) -> None:
        """Send a number to the owner, if it lives."""
        with suppress(OSError):
            self._connection.send(_NUMBER.pack(number))

    def _kill(self) -> None:
        if self._runs:  # else both happened at once
            os.kill(self._pid, signal.SIGKILL)
            self._disown()

    def _report(self) -> None:
        self._runs = False
        self._selector.unregister(self._process)
        os.close(self._process)
        if self._owned:
            self._disown()
        self.tell(os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1]))
        self._connection.close()

    def _disown(self) -> None:
        self._owned = False
        self._selector.unregister(self._connection)


def _become(function: Callable[..., object], requests: int, *files: int) -> NoReturn:
    """Turn the forked process into one that has nothing of the server's but its modules."""
    global _requests
    _close_all_but(requests, *files)
    _requests = socket.socket(fileno=requests)
    _end_with(lambda: function(*files))


def _close_all_but(*files: int) -> None:
    """Close every open file but these and the standard streams."""
    for name in os.listdir("/proc/self/fd"):
        file = int(name)
        if file > 2 and file not in files:
            with suppress(OSError):  # the listing's own
                os.close(file)


def _end_with(function: Callable[[], object]) -> NoReturn:
    """Call the function and end this process, with its own exit handlers and not its parent's."""
    status = 1
    atexit._clear()
    try:
        function()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else status
    except KeyboardInterrupt:
        pass  # the command says so
    finally:  # nothing may reach the code that the parent was running
        if sys.exc_info()[0] is not None:
            traceback.print_exc()
        atexit._run_exitfuncs()
        os._exit(status)

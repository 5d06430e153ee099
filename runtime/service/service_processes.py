"""The processes of a service with several: which run, and which are started again.

Every half second: signals -> ended processes -> pings of those that run

Nothing here waits for a process, so that signals are heard and ends are noticed at once even while
a process is silent. When the service stops, a process that does not end in time is killed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from socket import socket
from weakref import WeakKeyDictionary

from uvicorn.config import STARTUP_FAILURE, Config
from uvicorn.supervisors.multiprocess import Multiprocess, Process

_LOG = logging.getLogger("factmill.service")
_LOOK_SECONDS = 0.5
# How long until a process that ended before it served is started again. It reads the store.
_PAUSE_SECONDS = 10.0
# How long a process may take to end beyond the seconds that its running requests have.
_END_SECONDS = 10.0


@dataclass
class _Health:
    """Whether a process has served, since when it owes an answer to a ping, and when it is to be
    replaced after its end.
    """

    served: bool = False
    pinged: float | None = None
    replaced_at: float | None = None


class ServiceProcesses(Multiprocess):
    """uvicorn's processes, of which none is waited for. `announce` is called when the first one
    serves. A process that cannot start ends the service only as long as none has served: later,
    the others go on, and it is tried again.
    """

    def __init__(
        self,
        config: Config,
        sockets: list[socket],
        announce: Callable[[], object],
        pause_seconds: float = _PAUSE_SECONDS,
    ) -> None:
        super().__init__(config, sockets)
        self._announce, self._pause = announce, pause_seconds
        self._health: WeakKeyDictionary[Process, _Health] = WeakKeyDictionary()
        self._any_served = False
        self.could_not_start = False

    def run(self) -> None:
        """Run the processes until a signal comes, or none can start."""
        self.init_processes()
        try:
            while not self.should_exit.wait(_LOOK_SECONDS):
                self.handle_signals()
                self.look()
        finally:
            self.terminate_all()
            self.join_all()

    def handle_hup(self) -> None:
        """Ignored, so that the end of a terminal is not the end of the service: new builds are
        followed, and nothing else is read again. uvicorn would wait for processes without end.
        """

    def handle_ttin(self) -> None:
        """Ignored: the number of processes is an option."""

    handle_ttou = handle_ttin

    def join_all(self) -> None:
        """Wait until all processes have ended; kill those that do not end in time."""
        until = time.monotonic() + (self.config.timeout_graceful_shutdown or 0) + _END_SECONDS
        for process in self.processes:
            process.process.join(max(0.0, until - time.monotonic()))
            if process.exitcode is None:
                _LOG.warning("process %s of the service did not end; it is killed", process.pid)
                process.kill()
                process.join()

    def look(self) -> None:
        """Ping what runs, and start again what ended or is silent for too long."""
        for number, process in enumerate(self.processes):
            if self.should_exit.is_set():
                return
            health = self._health.setdefault(process, _Health())
            if health.replaced_at is None and not self._lives(process, health):
                self._end(process, health)
            if health.replaced_at is not None and time.monotonic() >= health.replaced_at:
                self.processes[number] = Process(self.config, self.sockets)
                self.processes[number].start()

    def _lives(self, process: Process, health: _Health) -> bool:
        """Whether a process runs, and is not silent for too long."""
        if process.exitcode is not None:
            return False
        try:
            while process.parent_conn.poll(0):
                health.served = process.parent_conn.recv() is True or health.served
                health.pinged = None
            if health.pinged is None:
                process.parent_conn.send(b"ping")
                health.pinged = time.monotonic()
        except (OSError, EOFError):
            return False
        if health.served and not self._any_served:
            self._any_served = True
            self._announce()
        return time.monotonic() < health.pinged + self.config.timeout_worker_healthcheck

    def _end(self, process: Process, health: _Health) -> None:
        process.kill()
        process.join()
        health.replaced_at = time.monotonic() + (0 if health.served else self._pause)
        if process.exitcode == STARTUP_FAILURE and not self._any_served:
            self.could_not_start = True
            self.should_exit.set()
        else:
            _LOG.warning("process %s of the service ended; it is started again", process.pid)

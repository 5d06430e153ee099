"""Which processes of a service are started again, and that nothing waits for a silent one."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import multiprocess

from factmill.runtime.service import service_processes
from factmill.runtime.service.service_processes import ServiceProcesses

PAUSE, SILENCE, STOPPING = 10.0, 60, 30


class FakeProcess:
    """A process that answers pings at once, until it is `silent` or has an `exitcode`."""

    started: list[FakeProcess]
    announced: list[bool]
    clock: Clock

    def __init__(self, *_: Any) -> None:
        self.parent_conn = self.process = self
        self.pid, self.exitcode = 100 + len(self.started), None
        self.silent = self.serves = False
        self.owed = 0

    def start(self) -> None:
        self.started.append(self)

    def send(self, _: bytes) -> None:
        self.owed += 1

    def poll(self, timeout: float) -> bool:
        assert timeout == 0, "nothing may wait for a process"
        return self.owed > 0 and not self.silent

    def recv(self) -> bool:
        self.owed -= 1
        return self.serves

    def kill(self) -> None:
        self.exitcode = -9 if self.exitcode is None else self.exitcode

    def terminate(self) -> None:
        self.exitcode = None if self.silent else 0

    def join(self, timeout: float | None = None) -> None:
        if self.exitcode is None:
            assert timeout is not None, "nothing may wait for a silent process without end"
            self.clock.now += timeout


class Clock:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(service_processes, "time", clock)
    monkeypatch.setattr(FakeProcess, "clock", clock, raising=False)
    return clock


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> ServiceProcesses:
    """Two processes that run and do not serve yet."""
    monkeypatch.setattr(multiprocess, "SIGNALS", {})
    for noted in ("started", "announced"):
        monkeypatch.setattr(FakeProcess, noted, [], raising=False)
    for module in (multiprocess, service_processes):
        monkeypatch.setattr(module, "Process", FakeProcess)
    config = uvicorn.Config(
        "", workers=2, timeout_worker_healthcheck=SILENCE, timeout_graceful_shutdown=STOPPING
    )
    processes = ServiceProcesses(config, [], partial(FakeProcess.announced.append, True), PAUSE)
    processes.init_processes()
    return processes


def _look(processes: ServiceProcesses) -> None:
    """Look often enough for a ping and its answer."""
    processes.look()
    processes.look()


def test_process_that_cannot_start_before_any_has_served_ends_the_service(
    processes: ServiceProcesses,
) -> None:
    _look(processes)
    FakeProcess.started[1].exitcode = STARTUP_FAILURE

    _look(processes)

    assert processes.should_exit.is_set()
    assert processes.could_not_start
    assert len(FakeProcess.started) == 2


def test_process_that_cannot_start_later_is_tried_again_after_a_pause(
    processes: ServiceProcesses, clock: Clock
) -> None:
    for one in FakeProcess.started:
        one.serves = True
    _look(processes)
    FakeProcess.started[0].exitcode = -9
    _look(processes)
    assert len(FakeProcess.started) == 3  # at once: it had served
    FakeProcess.started[2].exitcode = STARTUP_FAILURE

    _look(processes)
    assert len(FakeProcess.started) == 3
    clock.now += PAUSE
    _look(processes)

    assert len(FakeProcess.started) == 4
    assert list(processes.processes) == [FakeProcess.started[3], FakeProcess.started[1]]
    assert not processes.should_exit.is_set()
    assert not processes.could_not_start


def test_service_is_announced_once_when_the_first_process_serves(
    processes: ServiceProcesses,
) -> None:
    _look(processes)
    assert not FakeProcess.announced
    for one in FakeProcess.started:
        one.serves = True
        _look(processes)

    assert FakeProcess.announced == [True]


def test_silent_process_is_replaced_when_it_is_silent_for_long(
    processes: ServiceProcesses, clock: Clock
) -> None:
    for one in FakeProcess.started:
        one.serves = True
    _look(processes)
    silent = FakeProcess.started[1]
    silent.silent = True

    _look(processes)
    clock.now += SILENCE - 1
    _look(processes)
    assert silent.exitcode is None
    clock.now += 1
    _look(processes)

    assert silent.exitcode == -9
    assert len(FakeProcess.started) == 3
    assert FakeProcess.started[0].exitcode is None


def test_end_of_a_silent_process_is_noticed_at_the_next_look(processes: ServiceProcesses) -> None:
    for one in FakeProcess.started:
        one.serves = True
    _look(processes)
    ended = FakeProcess.started[0]
    ended.silent = True
    _look(processes)
    ended.exitcode = -9

    processes.look()

    assert processes.processes[0] is not ended


def test_process_that_does_not_end_when_the_service_stops_is_killed_in_time(
    processes: ServiceProcesses, clock: Clock
) -> None:
    FakeProcess.started[0].silent = True

    processes.terminate_all()
    processes.join_all()

    assert [one.exitcode for one in FakeProcess.started] == [-9, 0]
    assert STOPPING < clock.now < 2 * STOPPING


@pytest.mark.parametrize("name", ["SIGHUP", "SIGTTIN", "SIGTTOU"])
def test_other_signals_change_no_process(
    name: str, processes: ServiceProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(multiprocess, "SIGNALS", {1: name.removeprefix("SIG")})
    FakeProcess.started[1].silent = True
    processes.signal_queue = [1]

    processes.handle_signals()

    assert list(processes.processes) == FakeProcess.started
    assert [one.exitcode for one in FakeProcess.started] == [None, None]

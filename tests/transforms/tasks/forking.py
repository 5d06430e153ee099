"""What test_fork_server runs in processes of its own, because the suite's has threads."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from importlib import import_module
from pathlib import Path

from factmill.transforms.clean.bounded_process import BoundedProcess, Ended
from factmill.transforms.clean.item_limits import Limits
from factmill.transforms.tasks import fork_server
from tests.transforms.clean.bounded_work import work

_loaded: list[int] = []


def load() -> None:
    _loaded.append(os.getpid())


def exit_with_loaded(result: int) -> None:
    """Write who loaded, and whose child this is; then exit with a status."""
    os.write(result, f"{_loaded} {os.getppid()} {sorted(os.listdir('/proc/self/fd'))}".encode())
    sys.exit(7)


def sleep() -> None:
    time.sleep(60)


def fork_sleeper(result: int) -> None:
    """Fork another process, say which, and wait."""
    forked = fork_server.fork(sleep)
    assert forked is not None
    os.write(result, f"{os.getpid()} {forked.pid} ".encode())
    sleep()


def start() -> None:
    fork_server.allow()
    fork_server.start()


def statuses() -> None:
    """Print what a process with results of `load` says, and how three processes ended."""
    start()
    fork_server.load(load)
    ours, theirs = os.pipe()
    exiting = fork_server.fork(exit_with_loaded, theirs)
    killed, crashed = fork_server.fork(sleep), fork_server.fork(os.abort)
    assert exiting
    assert killed
    assert crashed
    print(os.read(ours, 1000).decode())
    running = killed.poll()
    killed.kill()
    print(exiting.wait(), exiting.poll(), running, killed.wait(), crashed.wait())
    fork_server.stop()
    print(fork_server.fork(sleep))


def be_killed(result: str) -> None:
    """Name this process, the server, a forked process and one forked by that; then be killed."""
    start()
    server = int(Path(f"/proc/self/task/{os.getpid()}/children").read_text())
    with open(result, "wb", 0) as stream:
        stream.write(f"{server} ".encode())
        forked = fork_server.fork(fork_sleeper, stream.fileno())
        assert forked is not None
        while len(Path(result).read_text().split()) < 3:
            time.sleep(0.005)
    os.kill(os.getpid(), signal.SIGKILL)


def stop_idle() -> None:
    """Stop the server of a process that waits for items of this one, and print how it ended."""
    start()
    process = BoundedProcess(work, Limits(seconds=5, megabytes=200))
    list(process.map([("a", 1)]))
    fork_server.stop()
    print([result for _, result in process.map([("b", 1)])])
    process.close()


def import_all() -> None:
    """Print how many threads a server has that was begun as `factmill build` begins it."""
    gc.disable()  # as the suite does
    import_module("factmill.pipelines.cli.build_commands")
    start()
    print(len(os.listdir(f"/proc/{fork_server._server_pid}/task")))
    fork_server.stop()


def limits() -> None:
    """Print what becomes of items in a forked process that keep no limit."""
    start()
    process = BoundedProcess(work, Limits(seconds=0.2, megabytes=200))
    kinds = ["spin", "a", "memory", "die", "b"]
    for _, result in process.map([(kind, 10**9 if kind == "memory" else 1) for kind in kinds]):
        print(result.reason if isinstance(result, Ended) else result, end=" ")
    process.close()

"""Runs a command in a process group that does not outlive the process that started it.

    python process_group.py COMMAND ARGUMENT...

The group is ended when standard input closes, which the kernel does however the starting process
dies (a signal on the parent's death would come when the *thread* that started the child ends, and
would reach no grandchild). It is also ended when the command itself ends. Run by its path, it
imports only the standard library. Knows nothing of LLMs.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

GRACE_SECONDS = 10.0  # between SIGTERM and SIGKILL


def main(command: list[str]) -> int:
    """The exit status of the command, as a shell would give it."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stay)
    threading.Thread(target=_end_with_input, args=(child.pid,), daemon=True).start()
    status = child.wait()
    _signal_group(child.pid, signal.SIGKILL)  # processes that it left behind
    return status if status >= 0 else 128 - status


def _stay(*_: object) -> None:
    """Ignore signals: ending this process alone would leave the group without a guard."""


def _end_with_input(group: int) -> None:
    while os.read(0, 1024):
        pass
    _signal_group(group, signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    _signal_group(group, signal.SIGKILL)


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Monitors the heartbeats of a job's workers, for runners that wait forever for a lost worker, as
Beam's Python job server does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from factmill.pipelines.runners.runner_options import BeamJob
from factmill.transforms.tasks.heartbeat import Heartbeats
from factmill.transforms.tasks.notices import warn

# Heartbeats are more frequent, but a library may hold the GIL for a long time.
HEARTBEAT_TIMEOUT_SECONDS = 120.0
_CHECKS_PER_TIMEOUT = 20


@dataclass
class LostWorker:
    """`task` is the task whose worker was lost, "" if none was."""

    task: str = ""


@contextmanager
def monitor_heartbeats(job: BeamJob, cancel: Callable[[], object]) -> Iterator[LostWorker]:
    """Call `cancel` when a worker of the job is lost. Warn once when no worker starts, which may be
    a queue or a mistake.
    """
    lost, heartbeats, ended = LostWorker(), Heartbeats(job.build), threading.Event()

    def watch() -> None:
        checks, begun = 0, False
        while not lost.task and not ended.wait(HEARTBEAT_TIMEOUT_SECONDS / _CHECKS_PER_TIMEOUT):
            lost.task = heartbeats.lost_task(HEARTBEAT_TIMEOUT_SECONDS)
            checks, begun = checks + 1, begun or heartbeats.any_seen
            if checks == _CHECKS_PER_TIMEOUT and not begun:
                seconds = f"{HEARTBEAT_TIMEOUT_SECONDS:.0f} s"
                warn(job.name, f"no worker has begun for {seconds}; still waiting")
        if lost.task:
            cancel()

    thread = threading.Thread(target=watch, name="factmill-heartbeats", daemon=True)
    heartbeats.request()
    thread.start()
    try:
        yield lost
    finally:
        ended.set()
        thread.join()
        heartbeats.clear()

"""Watching the workers of a runner that waits for ever for one that was lost, as Beam's Python job
server does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from factmill.pipelines.runners.machines import BeamJob
from factmill.transforms.tasks.heartbeat import Heartbeats
from factmill.transforms.tasks.notices import warn

# Heartbeats come more often; but a library may hold Python's lock for long.
PATIENCE_SECONDS = 120.0
_LOOKS = 20


@dataclass
class Watch:
    """`lost` is the task of which a worker was lost, "" as long as none was."""

    lost: str = ""


@contextmanager
def watching(step: BeamJob, cancel: Callable[[], object]) -> Iterator[Watch]:
    """Call `cancel` when a worker is lost meanwhile. When none comes, which may be a queue or a
    mistake, that is said once."""
    watch, heartbeats, ended = Watch(), Heartbeats(step.build), threading.Event()

    def look() -> None:
        looks, begun = 0, False
        while not watch.lost and not ended.wait(PATIENCE_SECONDS / _LOOKS):
            watch.lost = heartbeats.lost_task(PATIENCE_SECONDS)
            looks, begun = looks + 1, begun or heartbeats.any_seen
            if looks == _LOOKS and not begun:
                warn(step.name, f"no worker has begun for {PATIENCE_SECONDS:.0f} s; still waiting")
        if watch.lost:
            cancel()

    thread = threading.Thread(target=look, name="factmill-watch", daemon=True)
    heartbeats.request()
    thread.start()
    try:
        yield watch
    finally:
        ended.set()
        thread.join()
        heartbeats.clear()

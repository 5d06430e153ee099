"""Runs `factmill build` in a separate process that is killed at a predetermined moment.

The moment is just before the n-th change of a file of the store within a stage, or some time after
it. Killed are the whole process group, its first process alone, or one that it started; always by
SIGKILL, so nothing is cleaned up.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.killing.stages import STAGES, stage_of

# The victims. Workers are Beam's; pages are extracted in a child of whoever cleans.
GROUP, MAIN, WORKER, PAGES = "group", "main", "worker", "pages"
_MAKES = {"os.mkdir", "os.remove", "os.rmdir"}
_MOVES = {"os.rename", "os.link"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_SECONDS_BETWEEN_LOOKS = 0.005


@dataclass(frozen=True)
class Death:
    """The moment of a kill: `seconds` after the `change`-th change (from 0) that the stage makes to
    files of the store; without a stage, after the command began. `workers` names a job that gets
    worker processes even for little work. The time then starts with the first of them, or with the
    process for pages if that is the victim, and when the build has this many new files.
    """

    stage: str = ""
    change: int = 0
    seconds: float = 0.0
    victim: str = GROUP
    workers: str = ""


@dataclass(frozen=True)
class KilledStore:
    """The store as `stage_of` needs it."""

    root: Path
    before: str | None
    splits: int
    shards: int

    @property
    def stage(self) -> str:
        return stage_of(self.root, self.before, self.splits, self.shards)


class _Changes:
    """An audit hook that notices changes of Python code to files of the store."""

    def __init__(self, store: KilledStore, seen: Callable[[str, int], None]) -> None:
        self._store, self._seen = store, seen
        self._reached = 0
        self.counted: Counter[str] = Counter()
        self.began: dict[str, float] = {}

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            changes = isinstance(flags, int) and bool(flags & _WRITES)
        else:
            changes = event in _MAKES or event in _MOVES
            path = arguments[event in _MOVES] if changes else None
        if changes and self._inside(path, arguments[-1] if event in _MAKES else -1):
            stage = self.stage()
            self.began.setdefault(stage, time.monotonic())
            number = self.counted[stage]
            self.counted[stage] += 1
            self._seen(stage, number)

    def stage(self) -> str:
        """The current stage. It never goes back, even if removed files suggest it."""
        self._reached = max(self._reached, STAGES.index(self._store.stage))
        return STAGES[self._reached]

    def _inside(self, path: object, folder: object) -> bool:
        if not isinstance(path, (str, Path)):
            return False
        name = str(path)
        if isinstance(folder, int) and folder > 0 and not name.startswith("/"):
            name = f"{os.readlink(f'/proc/self/fd/{folder}')}/{name}"
        return name.startswith(str(self._store.root))


def run(arguments: list[str], store: KilledStore, note: Path, death: Death | None = None) -> None:
    """Run `factmill`, and kill it. `note` gets the stage at the moment of death; without a death,
    the changes and seconds of each stage.
    """
    os.setsid()
    os.fsync = lambda _: None  # the power stays on
    with open(os.devnull, "wb") as nowhere, open(note.with_suffix(".log"), "ab") as log:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(log.fileno(), 2)
    from factmill.pipelines.cli.main import main
    from tests.quick_beam import beam_that_remembers

    dying = threading.Event()

    def die() -> None:
        assert death is not None
        _die(death.victim, changes, note)

    def seen(stage: str, number: int) -> None:
        if death is None or dying.is_set() or (stage, number) != (death.stage, death.change):
            return
        dying.set()
        if death.seconds:
            _after(death.seconds, die)
        else:
            die()

    changes = _Changes(store, seen)
    if death and death.workers:
        _use_workers(death.workers)
        dying.set()
        threading.Thread(
            target=_kill_later, daemon=True, args=(death, changes, store, note)
        ).start()
    elif death and not death.stage:
        dying.set()
        _after(death.seconds, die)
    sys.addaudithook(changes)
    with beam_that_remembers():
        status = main(arguments)
    if death is None:
        note.write_text(_trace(changes))
    sys.exit(status)


def _after(seconds: float, die: Callable[[], None]) -> None:
    """Kill after this time, unless the command has ended."""
    timer = threading.Timer(seconds, die)
    timer.daemon = True
    timer.start()


def _trace(changes: _Changes) -> str:
    ends = [*list(changes.began.values())[1:], time.monotonic()]
    return "\n".join(
        f"{stage} {changes.counted[stage]} {end - began:.4f}"
        for (stage, began), end in zip(changes.began.items(), ends, strict=True)
    )


def _use_workers(job: str) -> None:
    import factmill.pipelines.clean
    import factmill.pipelines.encode
    import factmill.pipelines.extract
    import factmill.pipelines.learn

    for module, name in (
        (factmill.pipelines.clean, "_BYTES_PER_WORKER"),
        (factmill.pipelines.extract, "_BYTES_PER_WORKER"),
        (factmill.pipelines.learn, "BYTES_PER_WORKER"),
        (factmill.pipelines.encode, "BYTES_PER_WORKER"),
    ):
        if module.__name__ == f"factmill.pipelines.{job}":
            setattr(module, name, 1)


def _kill_later(death: Death, changes: _Changes, store: KilledStore, note: Path) -> None:
    name = "bounded_child" if death.victim == PAGES else "factmill.pipelines.runners.local_worker"
    while not (children := [pid for pid in group(os.getpid()) if name in _command(pid)]):
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    before = _files(store.root)
    time.sleep(death.seconds)
    while len(_files(store.root) - before) < death.change:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    if death.victim in (GROUP, MAIN):
        _die(death.victim, changes, note)
    note.write_text(changes.stage())
    try:
        os.kill(children[-1], signal.SIGKILL)
    except ProcessLookupError:
        note.unlink()


def _die(victim: str, changes: _Changes, note: Path) -> None:
    note.write_text(changes.stage())
    if victim == GROUP:
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def _files(root: Path) -> set[str]:
    found = set()
    for folder, _, names in os.walk(root / "builds"):
        found |= {f"{folder}/{name}" for name in names}
    return found


def group(number: int) -> list[int]:
    """The running processes of a group, except the shells that Beam starts workers with."""
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.getpgid(int(name)) == number and _state(name) not in "ZX":
                found.append(int(name))
        except OSError:
            continue
    return sorted(pid for pid in found if not _command(pid).startswith("/bin/sh"))


def _state(pid: str) -> str:
    return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""

"""Notes that workers leave while they ask: how far they have come, and why they stopped early.

A worker's exception would reach the build as a traceback, so what ends a build without being a bug
is written down, and raised again by the job.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from factmill.schemas.errors import BudgetSpent, BuildError, OptionError, ServerDown
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.atomic import discard, write_text
from factmill.schemas.storage.paths import StoragePath, matching

STOPS: dict[str, type[BaseException]] = {
    kind.__name__: kind
    for kind in (ServerDown, BudgetSpent, BuildError, OptionError, KeyboardInterrupt)
}


@dataclass(slots=True)
class Note:
    """How far a worker has come: segments that need no call any more, and why it stopped early."""

    done: int = 0
    seconds: float = 0.0
    stopped: str = ""
    detail: str = ""


def write_note(path: StoragePath, note: Note) -> None:
    write_text(path, json.dumps(asdict(note)))


def note_path(build: BuildDir, first_shard: int) -> StoragePath:
    """The note of the worker whose first shard it is."""
    return build.work / "asked" / f"{first_shard:06d}.json"


def read_note(path: StoragePath) -> Note:
    """An empty note where there is none."""
    try:
        return Note(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Note()


def read_notes(build: BuildDir) -> list[Note]:
    """The notes of all workers."""
    return [read_note(path) for path in matching(build.work / "asked", "[0-9]*.json")]


def segments_done(build: BuildDir) -> int:
    """Segments that need no call any more, as far as the workers have said."""
    return sum(note.done for note in read_notes(build))


def begin_notes(build: BuildDir) -> None:
    """Forget how an earlier run ended, but not how long it asked."""
    seconds = max((note.seconds for note in read_notes(build)), default=0.0)
    discard(build.work / "asked")
    write_note(note_path(build, 0), Note(seconds=seconds))


def raise_stop(build: BuildDir) -> None:
    """Raises what ended a worker early: one of STOPS."""
    for note in read_notes(build):
        if note.stopped:
            raise STOPS[note.stopped](note.detail)

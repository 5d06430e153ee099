"""The progress of workers that ask an LLM: one small file per worker, with the reason if it stopped
early.

Stopping early is not a failure of a worker. When the server is down or the budget is spent, the
worker writes its reason here and returns normally, and the job raises it: a runner would retry
failed work and wait for the same server again. Errors of workers reach the job as errors.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from factmill.schemas.errors import BudgetSpent, ServerDown
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.atomic import discard, write_text
from factmill.schemas.storage.paths import StoragePath, matching, read_text

_STOPS = {kind.__name__: kind for kind in (ServerDown, BudgetSpent)}


@dataclass(slots=True)
class AskProgress:
    """The progress of one worker: segments that need no more calls, seconds spent asking, and the
    class and message of the error that stopped it, "" for none.
    """

    done: int = 0
    seconds: float = 0.0
    stopped: str = ""
    detail: str = ""

    def stop(self, reason: ServerDown | BudgetSpent) -> None:
        """Record why the worker stopped early."""
        self.stopped, self.detail = type(reason).__name__, str(reason)


def progress_file(build: BuildDir, first_shard: int) -> StoragePath:
    """The file of the worker that starts with this shard."""
    return build.work / "asked" / f"{first_shard:06d}.json"


def write_progress(path: StoragePath, progress: AskProgress) -> None:
    write_text(path, json.dumps(asdict(progress)))


def load_progress(path: StoragePath) -> AskProgress:
    """The progress in a file; all zeros when there is none."""
    try:
        return AskProgress(**json.loads(read_text(path)))
    except FileNotFoundError:
        return AskProgress()


def read_progress(build: BuildDir) -> list[AskProgress]:
    """The progress of all workers."""
    return [load_progress(path) for path in matching(build.work / "asked", "[0-9]*.json")]


def segments_done(build: BuildDir) -> int:
    """Segments that need no more calls, according to the workers' files."""
    return sum(worker.done for worker in read_progress(build))


def begin_asking(build: BuildDir) -> None:
    """Remove the progress of an earlier run, but keep the time it spent."""
    seconds = max((worker.seconds for worker in read_progress(build)), default=0.0)
    discard(build.work / "asked")
    write_progress(progress_file(build, 0), AskProgress(seconds=seconds))


def raise_stop(build: BuildDir) -> None:
    """Raise the ServerDown or BudgetSpent that stopped a worker early, if any."""
    for worker in read_progress(build):
        if worker.stopped:
            raise _STOPS[worker.stopped](worker.detail)

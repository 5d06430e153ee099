"""The finished tasks of a step, and their counts: one small file per task, written last.

A resumed job runs the tasks without a file. A task has only a number, so a step whose numbers
may come to stand for something else notes a fingerprint of its tasks. The counts of a job are the
sum over its files. A long task stores its last progress event in a second file, which only the
progress display reads.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass

from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.progress_events import ProgressEvent, ProgressListener
from factmill.schemas.storage.atomic import discard, write_text
from factmill.schemas.storage.paths import StoragePath, is_remote, matching, read_texts

_SECONDS_BETWEEN_EVENTS = 2.0
# Fewer writes in an object store, where requests cost money.
_SECONDS_BETWEEN_OBJECTS = 10.0
_EVENT_SUFFIX = ".event"


@dataclass(frozen=True, slots=True)
class TaskResults:
    """The finished tasks of one step of a job, and the progress of the running ones."""

    folder: StoragePath

    @classmethod
    def of(cls, build: BuildDir, step: str) -> TaskResults:
        return cls(_progress(build) / step)

    def noted_tasks(self) -> str | None:
        """The fingerprint of `note_tasks`; None if there is none."""
        try:
            return self._tasks_file.read_text(encoding="ascii")
        except FileNotFoundError:
            return None

    def note_tasks(self, fingerprint: str) -> None:
        """Note which tasks the numbers stand for. Call this before the first task."""
        write_text(self._tasks_file, fingerprint)

    def is_finished(self, task: int) -> bool:
        return self._counts_file(task).is_file()

    def finish(self, task: int, counts: StageCounts) -> None:
        """Call this once every output of the task has its final name."""
        write_text(self._counts_file(task), json.dumps(counts.as_json(), sort_keys=True))

    def finished(self) -> int:
        """The number of finished tasks."""
        return len(self._counts_files())

    def total(self) -> StageCounts:
        """The sum of the counts of all finished tasks."""
        return sum(self.by_task().values(), StageCounts())

    def by_task(self) -> dict[int, StageCounts]:
        """The counts of each finished task."""
        files = self._counts_files()
        return {
            int(path.stem): StageCounts.from_json(json.loads(text))
            for path, text in zip(files, read_texts(files), strict=True)
        }

    def listener(self, task: int) -> ProgressListener:
        """A listener that stores the last event of a task that takes longer than a moment. Removes
        the event of an earlier attempt.
        """
        event_file = self._event_file(task)
        event_file.unlink(missing_ok=True)
        local = not is_remote(event_file)
        pause = _SECONDS_BETWEEN_EVENTS if local else _SECONDS_BETWEEN_OBJECTS
        doing, first_due = "", time.monotonic() + pause
        due = first_due

        def listen(event: ProgressEvent) -> None:
            nonlocal doing, due
            now = time.monotonic()
            if now >= due or (local and event.doing != doing and now >= first_due):
                doing, due = event.doing, now + pause
                write_text(event_file, json.dumps(asdict(event)))

        return listen

    def running(self) -> list[ProgressEvent]:
        """The last event of each task that has begun but not finished."""
        paths = matching(self.folder, "[0-9]*")
        finished = {path.stem for path in paths if path.suffix == ".json"}
        events = []
        for path in paths:
            if path.suffix == _EVENT_SUFFIX and path.stem not in finished:
                try:
                    events.append(ProgressEvent(**json.loads(path.read_text(encoding="utf-8"))))
                except FileNotFoundError:  # another attempt has begun
                    continue
        return events

    @property
    def _tasks_file(self) -> StoragePath:
        return self.folder / "tasks"

    def _counts_files(self) -> list[StoragePath]:
        return matching(self.folder, "[0-9]*.json")

    def _counts_file(self, task: int) -> StoragePath:
        return self.folder / f"{task:06d}.json"

    def _event_file(self, task: int) -> StoragePath:
        return self.folder / f"{task:06d}{_EVENT_SUFFIX}"


def forget_results(build: BuildDir) -> None:
    """Forget every finished task of a build, of all steps."""
    discard(_progress(build))


def _progress(build: BuildDir) -> StoragePath:
    return build.work / "progress"

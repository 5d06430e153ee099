"""Which pieces of a job are done, and what they counted: one small file a piece, written last.

A resumed job does the pieces without a file. The counts of a job are the sum over its files. A
piece that takes long leaves a note of how far it is, which only the progress shown is made of.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass

from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.progress_events import ProgressEvent, ProgressListener
from factmill.schemas.storage.atomic import write_text
from factmill.schemas.storage.paths import StoragePath, is_remote, matching, read_texts

_SECONDS_BETWEEN_NOTES = 2.0
# Requests are paid for.
_SECONDS_BETWEEN_OBJECTS = 10.0


@dataclass(frozen=True, slots=True)
class Progress:
    """The finished pieces of one step of a job."""

    folder: StoragePath

    @classmethod
    def of(cls, build: BuildDir, step: str) -> Progress:
        return cls(build.work / "progress" / step)

    def _file(self, piece: int) -> StoragePath:
        return self.folder / f"{piece:06d}.json"

    def done(self, piece: int) -> bool:
        return self._file(piece).is_file()

    def finish(self, piece: int, counts: StageCounts) -> None:
        """Call when every output of the piece stands under its final name."""
        write_text(self._file(piece), json.dumps(counts.as_json(), sort_keys=True))

    def listener(self, piece: int) -> ProgressListener:
        """Notes how far a piece is that takes longer than a moment; forgets what an earlier attempt
        noted."""
        note = self._note(piece)
        note.unlink(missing_ok=True)
        local = not is_remote(note)
        pause = _SECONDS_BETWEEN_NOTES if local else _SECONDS_BETWEEN_OBJECTS
        doing, first = "", time.monotonic() + pause
        due = first

        def hear(told: ProgressEvent) -> None:
            nonlocal doing, due
            now = time.monotonic()
            if now >= due or (local and told.doing != doing and now >= first):
                doing, due = told.doing, now + pause
                write_text(note, json.dumps(asdict(told)))

        return hear

    def notes(self) -> list[ProgressEvent]:
        """How far the pieces are that are not finished, as far as they said."""
        found = []
        paths = matching(self.folder, "[0-9]*")
        finished = {path.stem for path in paths if path.suffix == ".json"}
        for path in paths:
            if path.suffix == ".note" and path.stem not in finished:
                try:
                    found.append(ProgressEvent(**json.loads(path.read_text(encoding="utf-8"))))
                except FileNotFoundError:
                    continue
        return found

    def _note(self, piece: int) -> StoragePath:
        return self.folder / f"{piece:06d}.note"

    def finished(self) -> int:
        return len(self._files())

    def total(self) -> StageCounts:
        counts = map(json.loads, read_texts(self._files()))
        return sum((StageCounts.from_json(raw) for raw in counts), StageCounts())

    def _files(self) -> list[StoragePath]:
        return matching(self.folder, "[0-9]*.json")

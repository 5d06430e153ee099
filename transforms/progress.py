"""Which pieces of a job are done, and what they counted: one small file a piece, written last.

A resumed job does the pieces without a file. The counts of a job are the sum over its files.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from schemas.layout import BuildDir
from schemas.manifest import StageCounts
from schemas.places import Place, matching, read_texts
from schemas.writing import write_text


@dataclass(frozen=True, slots=True)
class Progress:
    """The finished pieces of one step of a job."""

    folder: Place

    @classmethod
    def of(cls, build: BuildDir, step: str) -> Progress:
        return cls(build.work / "progress" / step)

    def _file(self, piece: int) -> Place:
        return self.folder / f"{piece:06d}.json"

    def done(self, piece: int) -> bool:
        return self._file(piece).is_file()

    def finish(self, piece: int, counts: StageCounts) -> None:
        """Call when every output of the piece stands under its final name."""
        write_text(self._file(piece), json.dumps(counts.as_json(), sort_keys=True))

    def finished(self) -> int:
        return len(self._files())

    def total(self) -> StageCounts:
        counts = map(json.loads, read_texts(self._files()))
        return sum((StageCounts.from_json(raw) for raw in counts), StageCounts())

    def _files(self) -> list[Place]:
        return matching(self.folder, "[0-9]*.json")

"""Resumable work: pieces done once each, in parallel, with counts kept as files and metrics.

Knows nothing of what a piece is. A piece that is done is skipped, so a killed job goes on where it
stopped; a piece's outputs appear under their final names before it counts as done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import apache_beam as beam
from apache_beam.metrics import Metrics

from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.progress_events import progress_to
from factmill.transforms.tasks.heartbeat import signs_of_life
from factmill.transforms.tasks.task_results import Progress

# Takes a piece and says what it counted. Must be importable, so that it pickles by reference.
Work = Callable[[Any], StageCounts]


class _DoPiece(beam.DoFn):  # type: ignore[misc]
    def __init__(self, build: BuildDir, step: str, work: Work) -> None:
        self._build, self._step, self._work = build, step, work

    def process(self, element: tuple[int, Any]) -> list[int]:
        number, piece = element
        progress = Progress.of(self._build, self._step)
        if not progress.done(number):
            with (
                signs_of_life(self._build, f"{self._step}-{number}"),
                progress_to(progress.listener(number)),
            ):
                counts = self._work(piece)
            progress.finish(number, counts)
            self._count("in", counts.records_in)
            self._count("out", counts.records_out)
            for reason, rejected in counts.rejected.items():
                self._count(f"rejected_{reason}", rejected)
        return [number]

    def _count(self, name: str, by: int) -> None:
        Metrics.counter("factmill", f"{self._step}_{name}").inc(by)


class DoPieces(beam.PTransform):  # type: ignore[misc]
    """(number, piece) -> number, once `work(piece)` is done."""

    def __init__(self, build: BuildDir, step: str, work: Work) -> None:
        super().__init__()
        self._build, self._step, self._work = build, step, work

    def expand(self, pieces: beam.PCollection) -> beam.PCollection:
        do = _DoPiece(self._build, self._step, self._work)
        return pieces | "Spread over workers" >> beam.Reshuffle() | "Do piece" >> beam.ParDo(do)

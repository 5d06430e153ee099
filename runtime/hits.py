"""What a search returns, and how it is read from the mapped tables."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from runtime.mapped import MappedTable
from runtime.shard import Shard
from schemas.errors import CorruptStore
from schemas.index_files import KINDS

_QA_PAIR = KINDS.index("qa_pair")
_SAMPLE_CHARACTERS = 300


class UnitHit(NamedTuple):
    """A unit found. `text` of a QA pair is its question and answer; `start` and `end` are the
    evidence of a proposition or the answer of a pair, as offsets in the segment."""

    unit_id: str
    kind: str
    text: str
    score: float
    segment_id: str
    start: int
    end: int

    def as_json(self) -> dict[str, Any]:
        return {"unit_id": self.unit_id, "kind": self.kind, "text": self.text, "score": self.score}


class Hit(NamedTuple):
    """A page found, with the segment that fits best by itself. `start` and `end` are offsets in the
    page's text, None for a table."""

    rank: int
    score: float
    page_id: str
    source_id: str
    url: str
    title: str
    text: str
    segment_id: str
    start: int | None
    end: int | None
    units: tuple[UnitHit, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "rank": self.rank,
            "score": self.score,
            "page_id": self.page_id,
            "url": self.url,
            "title": self.title,
            "text": self.text,
            "segment_id": self.segment_id,
            "units": [unit.as_json() for unit in self.units],
        }


class Texts:
    """The texts of a shard by position: nothing is read before it is asked for."""

    def __init__(self, shard: Shard) -> None:
        rows, segments, pages = shard.rows, shard.segments, shard.pages
        self._folder, self._pages = shard.folder, len(pages)
        self._page = tuple(pages.texts(n) for n in ("page_id", "source_id", "url", "title"))
        self._segment_id, self.segment_text = segments.texts("segment_id"), segments.texts("text")
        self._unit_id, self._unit_text = rows.texts("unit_id"), rows.texts("text")
        self._kind = rows.values("kind", np.int8).data
        self._segment_span, self._unit_span = _spans(segments), _spans(rows)
        self._segment_of, self._page_of = rows.numbers("segment"), segments.numbers("page")

    def sample(self, row: int) -> tuple[str, str]:
        """What a row says, and the id of its page. Raises CorruptStore for what cannot be read."""
        segment = int(self._segment_of[row])
        page = int(self._page_of[segment]) if 0 <= segment < len(self._page_of) else -1
        if not 0 <= page < self._pages:
            raise CorruptStore(f"{self._folder}: row {row} leads to no page")
        text = self._unit_text[row] or self.segment_text[segment]
        return text[:_SAMPLE_CHARACTERS], self._page[0][page]

    def hit(
        self,
        rank: int,
        score: float,
        page: int,
        segment: int,
        units: list[int],
        unit_scores: list[float],
    ) -> Hit:
        """A page with a segment and units of that. Raises CorruptStore for what cannot be read."""
        text, segment_id = self.segment_text[segment], self._segment_id[segment]
        starts, ends = self._segment_span
        start, end = starts[segment], ends[segment]
        page_id, source_id, url, title = [column[page] for column in self._page]
        found = tuple(
            [
                self._unit(row, score, segment_id, text)
                for row, score in zip(units, unit_scores, strict=True)
                if row >= 0
            ]
        )
        return Hit(
            rank,
            round(score, 6),
            page_id,
            source_id,
            url,
            title,
            text,
            segment_id,
            None if start < 0 else start,
            None if end < 0 else end,
            found,
        )

    def _unit(self, row: int, score: float, segment_id: str, segment: str) -> UnitHit:
        kind, text = self._kind[row], self._unit_text[row]
        starts, ends = self._unit_span
        start, end = starts[row], ends[row]
        if not 0 <= kind < len(KINDS):
            raise CorruptStore(f"{self._folder}: row {row} is of kind {kind}")
        if kind == _QA_PAIR:
            text = f"{text} {segment[start:end]}"
        return UnitHit(
            self._unit_id[row], KINDS[kind], text, round(score, 6), segment_id, start, end
        )


def _spans(table: MappedTable) -> tuple[memoryview, memoryview]:
    return table.numbers("start").data, table.numbers("end").data

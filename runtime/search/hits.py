"""The results of a search."""

from __future__ import annotations

from typing import Any, NamedTuple

from factmill.models.arrays import Floats


class UnitHit(NamedTuple):
    """A found unit. The `text` of a QA pair is its question and answer; `start` and `end` locate
    the evidence of a proposition, or the answer of a pair, in the segment.
    """

    unit_id: str
    kind: str
    text: str
    score: float
    segment_id: str
    start: int
    end: int

    def as_json(self) -> dict[str, Any]:
        unit_id, kind, text, score, _, start, end = self
        return {
            "unit_id": unit_id, "kind": kind, "text": text, "score": score,
            "start": start, "end": end,
        }  # fmt: skip


class PathStep(NamedTuple):
    """A page that names the next one, with the segment that does, and the segment's best unit that
    names it, None if no unit does.
    """

    page_id: str
    title: str
    segment_id: str
    unit: UnitHit | None

    def as_json(self) -> dict[str, Any]:
        return {
            "page_id": self.page_id,
            "title": self.title,
            "segment_id": self.segment_id,
            "unit": self.unit and self.unit.as_json(),
        }


class Hit(NamedTuple):
    """A found page, with its best segment. `start` and `end` are offsets in the page's text, None
    for a table. `path` is the page that led to this one, if any; `relevance` is how likely the page
    is relevant, given the other pages, if requested. `similarity` is the score of the segment's
    best row by codes, where several segments of a page were asked for.
    """

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
    path: tuple[PathStep, ...] = ()
    relevance: float | None = None
    similarity: float = 0.0

    def as_json(self) -> dict[str, Any]:
        judged = {} if self.relevance is None else {"relevance": self.relevance}
        return {
            "rank": self.rank,
            "score": self.score,
            **judged,
            "page_id": self.page_id,
            "source_id": self.source_id,
            "url": self.url,
            "title": self.title,
            "text": self.text,
            "segment_id": self.segment_id,
            "start": self.start,
            "end": self.end,
            "units": [unit.as_json() for unit in self.units],
            "path": [step.as_json() for step in self.path],
        }


class HitVectors(NamedTuple):
    """Found pages, a vector of the query, shape (dimension,), and the decoded codes of each page's
    units, shape (units, dimension), or of its segment for a page without units. `encoder` is the
    fingerprint of their encoder.
    """

    encoder: str
    hits: list[Hit]
    query: Floats
    units: list[Floats]

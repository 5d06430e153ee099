"""A published index: opened by mapping its files, searched in two stages.

    query -> encoder -> head -> Hamming candidates of all shards -> float query against their codes
          -> segments by equation 10, read with their neighbours -> pages by their best segment

Knows nothing of how the index was built.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models.encoder import Encoder, Floats
from models.hash_head import HashHead, asymmetric_scores
from runtime.ranking import ranges, segment_scores
from runtime.shard import Integers, Shard
from schemas.errors import CorruptStore
from schemas.index_files import KINDS
from schemas.layout import INDEX, BuildDir, Store
from schemas.manifest import Manifest, read_manifest

# Rows taken by Hamming distance before ranking; BPR's number.
CANDIDATES = 1000
_UNITS_PER_HIT = 5


@dataclass(frozen=True, slots=True)
class UnitHit:
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


@dataclass(frozen=True, slots=True)
class Hit:
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


@dataclass(frozen=True, slots=True)
class _Found:
    """A page found, with the segment to show, before its texts are looked up."""

    score: float
    shard: int
    page: int
    segment: int
    rows: Integers
    row_scores: Floats


class Index:
    """An open index. Searching is thread-safe; the files never change under it."""

    def __init__(
        self, build: BuildDir, manifest: Manifest, head: HashHead, shards: list[Shard]
    ) -> None:
        self.build, self.manifest = build, manifest
        self._head, self._shards = head, shards
        self._encoder = Encoder(str(manifest.configuration["encoder"]))
        self._encoder_checked = False

    def encode(self, queries: Sequence[str]) -> Floats:
        """Projected queries, shape (queries, bits). Raises CorruptStore for the wrong encoder."""
        if not self._encoder_checked:
            if self._encoder.fingerprint != self._head.encoder:
                raise CorruptStore(
                    f"{self.build.root}: built with another version of encoder {self._encoder.name}"
                )
            self._encoder_checked = True
        return self._head.queries(self._encoder.encode(queries))

    def sample_text(self) -> str:
        """The beginning of some segment, or "" for an empty index: a query that must find it."""
        for shard in self._shards:
            if len(shard.segments):
                return str(shard.segments.value("text", 0))[:300]
        return ""

    def search(self, query: str, k: int = 20) -> list[Hit]:
        """The k best pages, best first."""
        return self.search_many([query], k)[0]

    def search_many(self, queries: Sequence[str], k: int = 20) -> list[list[Hit]]:
        """The k best pages of each query."""
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        if not queries:
            return []
        projected = self.encode(queries)
        candidates = self._candidates(projected, max(CANDIDATES, 4 * k))
        return [
            self._rank(vector, rows, k)
            for vector, rows in zip(projected, candidates, strict=True)
        ]  # fmt: skip

    def _candidates(self, projected: Floats, count: int) -> list[list[Integers]]:
        """For each query and shard, the rows among the nearest `count` of all shards."""
        codes = np.packbits(projected > 0, axis=1)
        nearest = [shard.nearest(codes, count) for shard in self._shards]
        found = []
        for query in range(len(projected)):
            distances = np.concatenate([distance[query] for distance, _ in nearest])
            if len(distances) > count:
                limit = np.partition(distances, count - 1)[count - 1]
            else:
                limit = distances.max(initial=0)
            found.append([rows[query][distance[query] <= limit] for distance, rows in nearest])
        return found

    def _rank(self, vector: Floats, candidates: list[Integers], k: int) -> list[Hit]:
        found = [
            page
            for number, rows in enumerate(candidates)
            if len(rows)
            for page in self._pages(vector, number, rows)
        ]
        found.sort(key=lambda page: (-page.score, page.shard, page.page))
        return [self._hit(rank, page) for rank, page in enumerate(found[:k], 1)]

    def _pages(self, vector: Floats, number: int, rows: Integers) -> Iterator[_Found]:
        """The pages of a shard's candidate rows. A page scores as its best segment does; the
        segment shown is the one with the best row, because neighbours share much of a score."""
        shard = self._shards[number]
        asked = np.unique(shard.segment_of_row[rows])
        segments, follows = shard.with_neighbours(asked)
        first, length = (column[segments] for column in shard.row_ranges)
        members = ranges(first, length)
        row_scores = asymmetric_scores(vector, shard.code_matrix[members])
        stops = np.cumsum(length)
        places = np.searchsorted(segments, asked)
        scores = segment_scores(row_scores, length, follows)[places]
        best_rows = np.maximum.reduceat(row_scores, stops - length)[places]
        pages = shard.page_of_segment[asked]
        page_starts = np.flatnonzero(np.diff(pages, prepend=-1))
        best_scores = np.maximum.reduceat(scores, page_starts)
        shown = np.lexsort((-best_rows, pages))[page_starts]
        for score, i in zip(best_scores, shown, strict=True):
            span = slice(stops[places[i]] - length[places[i]], stops[places[i]])
            yield _Found(
                float(score), number, int(pages[i]), int(asked[i]), members[span], row_scores[span]
            )

    def _hit(self, rank: int, found: _Found) -> Hit:
        shard = self._shards[found.shard]
        page, segment = shard.pages.row(found.page), shard.segments.row(found.segment)
        order = 1 + np.argsort(-found.row_scores[1:], kind="stable")[:_UNITS_PER_HIT]
        return Hit(
            rank=rank,
            score=round(found.score, 6),
            page_id=page["page_id"],
            source_id=page["source_id"],
            url=page["url"],
            title=page["title"],
            text=segment["text"],
            segment_id=segment["segment_id"],
            start=None if segment["start"] < 0 else segment["start"],
            end=None if segment["end"] < 0 else segment["end"],
            units=tuple(
                self._unit(shard, int(found.rows[i]), float(found.row_scores[i]), segment)
                for i in order
            ),
        )

    def _unit(self, shard: Shard, number: int, score: float, segment: dict[str, Any]) -> UnitHit:
        row = shard.rows.row(number)
        kind = KINDS[row["kind"]]
        text = row["text"]
        if kind == "qa_pair":
            text = f"{text} {segment['text'][row['start'] : row['end']]}"
        return UnitHit(
            row["unit_id"],
            kind,
            text,
            round(score, 6),
            segment["segment_id"],
            row["start"],
            row["end"],
        )


def open_index(store: str | Path) -> Index:
    """Open the published index of a store. Raises NoIndex, WrongFormat or CorruptStore."""
    return open_build(Store(Path(store)).published())


def open_build(build: BuildDir, manifest: Manifest | None = None) -> Index:
    """Open one build; `manifest` is that of a build whose manifest is not written yet."""
    manifest = manifest or read_manifest(build)
    for file in manifest.tables[INDEX].files if INDEX in manifest.tables else ():
        path = build.root / file.path
        if not path.is_file() or path.stat().st_size != file.bytes:
            raise CorruptStore(f"{path}: missing or not {file.bytes} bytes long")
    head = HashHead.load(build.hash_head)
    shards = [Shard.open(build.shard(INDEX, number)) for number in range(manifest.shards)]
    for shard in shards:
        if shard.codes.ntotal and shard.codes.d != head.bits:
            raise CorruptStore(
                f"{shard.folder}: codes of {shard.codes.d} bits, head of {head.bits}"
            )
    return Index(build, manifest, head, shards)

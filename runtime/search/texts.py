"""Hits with their texts, read from the mapped tables of all shards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from factmill.models.arrays import Floats, Integers
from factmill.models.lexical.page_names import first_naming
from factmill.runtime.search.hits import Hit, PathStep, UnitHit
from factmill.runtime.search.index_shard import Shard
from factmill.runtime.search.pages import Pages
from factmill.runtime.search.sharded import offsets_of
from factmill.schemas.errors import CorruptStore
from factmill.schemas.index_files import ROW_KINDS

_SAMPLE_CHARACTERS = 300


class ShardTexts:
    """The texts and offsets of a shard by position, read on demand."""

    def __init__(self, shard: Shard) -> None:
        pages, segments, rows = shard.pages, shard.segments, shard.rows
        self._folder, self._pages = shard.folder, len(pages)
        self.page_id, self._source_id = pages.texts("page_id"), pages.texts("source_id")
        self._url, self._title = pages.texts("url"), pages.texts("title")
        self._segment_id, self.segment = segments.texts("segment_id"), segments.texts("text")
        # Memory views: reading a single number takes a third of the time it takes from an array.
        self._starts, self._ends = segments.numbers("start").data, segments.numbers("end").data
        self._unit_id, self.unit = rows.texts("unit_id"), rows.texts("text")
        self._kinds = rows.values("kind", np.int8).data
        self._unit_starts, self._unit_ends = rows.numbers("start").data, rows.numbers("end").data

    def page_names(self) -> Iterator[tuple[str, str, str]]:
        """The page id, source id and URL of every page."""
        ids, sources, urls = self.page_id, self._source_id, self._url
        return ((ids[row], sources[row], urls[row]) for row in range(self._pages))

    def hit(
        self, rank: int, score: float, page: int, segment: int, units: list[tuple[int, float]]
    ) -> Hit:
        """A page, one of its segments, and rows of that segment's units with their scores. Raises
        CorruptStore for unreadable data.
        """
        segment_id, text = self._segment_id[segment], self.segment[segment]
        start, end = self._starts[segment], self._ends[segment]
        return Hit(
            rank,
            score,
            self.page_id[page],
            self._source_id[page],
            self._url[page],
            self._title[page],
            text,
            segment_id,
            None if start < 0 else start,
            None if end < 0 else end,
            self._units(units, segment_id, text),
        )

    def steps(
        self, page: int, segment: int, titles: Sequence[str], units: list[tuple[int, float]]
    ) -> list[PathStep]:
        """A page and one of its segments, and for each title the first of the segment's units that
        names that page.
        """
        segment_id = self._segment_id[segment]
        page_id, title = self.page_id[page], self._title[page]
        found = self._units(units, segment_id, self.segment[segment])
        said = [unit.text for unit in found]
        naming = [first_naming(title, said) for title in titles]
        return [
            PathStep(page_id, title, segment_id, None if number is None else found[number])
            for number in naming
        ]

    def _units(
        self, units: list[tuple[int, float]], segment_id: str, segment: str
    ) -> tuple[UnitHit, ...]:
        """Units of a segment from rows with scores; the text of a pair ends with its answer."""
        ids, texts, kinds = self._unit_id, self.unit, self._kinds
        starts, ends = self._unit_starts, self._unit_ends
        found = []
        for row, score in units:
            number, text, start, end = kinds[row], texts[row], starts[row], ends[row]
            if not 0 <= number < len(ROW_KINDS):
                raise CorruptStore(f"{self._folder}: a unit of an unknown kind")
            kind = ROW_KINDS[number]
            if kind == "qa_pair":
                text = f"{text} {segment[start:end]}"
            found.append(UnitHit(ids[row], kind, text, score, segment_id, start, end))
        return tuple(found)


class Texts:
    """The texts of all shards, by numbers that count through the shards."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self._shards = [ShardTexts(shard) for shard in shards]
        self._page_offsets = offsets_of([len(shard.pages) for shard in shards])
        self._segment_offsets = offsets_of([len(shard.segments) for shard in shards])
        self._row_offsets = offsets_of([len(shard.rows) for shard in shards])

    def segment(self, number: int) -> str:
        """The text of a segment. Raises CorruptStore for unreadable data."""
        shard = int(np.searchsorted(self._segment_offsets, number, side="right")) - 1
        return self._shards[shard].segment[number - int(self._segment_offsets[shard])]

    def page_names(self) -> Iterator[tuple[str, str, str]]:
        """The page id, source id and URL of every page. Raises CorruptStore for unreadable data."""
        return (names for shard in self._shards for names in shard.page_names())

    def sample(self, row: int, segment: int, page: int) -> tuple[str, str]:
        """The text of a row, or of its segment if it has none, and the id of its page. Raises
        CorruptStore for unreadable data.
        """
        shard = int(np.searchsorted(self._row_offsets, row, side="right")) - 1
        texts = self._shards[shard]
        said = texts.unit[row - int(self._row_offsets[shard])] or self.segment(segment)
        return said[:_SAMPLE_CHARACTERS], texts.page_id[page - int(self._page_offsets[shard])]

    def hits(self, pages: Pages, units: Integers, unit_scores: Floats) -> Iterator[Hit]:
        """Pages, best first, with their segments and unit rows, -1 for none, shape (pages, units).
        Raises CorruptStore for unreadable data.
        """
        shards = np.searchsorted(self._segment_offsets, pages.segments, side="right") - 1
        columns = zip(
            shards.tolist(),
            np.round(pages.scores, 6).tolist(),
            (pages.pages - self._page_offsets[shards]).tolist(),
            (pages.segments - self._segment_offsets[shards]).tolist(),
            (units - self._row_offsets[shards, None]).tolist(),
            np.round(unit_scores.astype(np.float64), 6).tolist(),
            strict=True,
        )
        for rank, (shard, score, page, segment, rows, values) in enumerate(columns, 1):
            found = [pair for pair in zip(rows, values, strict=True) if pair[0] >= 0]
            yield self._shards[shard].hit(rank, score, page, segment, found)

    def steps(
        self,
        page: int,
        segment: int,
        titles: Sequence[str],
        units: Integers,
        unit_scores: Floats,
    ) -> list[PathStep]:
        """How a segment of a page names the page of each title; `units` are rows of the segment,
        best first, -1 for none. Raises CorruptStore for unreadable data.
        """
        shard = int(np.searchsorted(self._segment_offsets, segment, side="right")) - 1
        pages, segments, rows = (
            int(offsets[shard])
            for offsets in (self._page_offsets, self._segment_offsets, self._row_offsets)
        )
        scores = np.round(unit_scores.astype(np.float64), 6).tolist()
        scored = zip(units.tolist(), scores, strict=True)
        found = [(row - rows, score) for row, score in scored if row >= 0]
        return self._shards[shard].steps(page - pages, segment - segments, titles, found)

"""Checks the index files of a shard: they must fit each other, and agree with the tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from factmill.models.arrays import Flags, Integers
from factmill.models.codes.hash_head import HashHead
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.runtime.lexical.segment_links import ShardLinks
from factmill.runtime.mapped.open_files import IndexFiles
from factmill.runtime.search.index_shard import Shard
from factmill.runtime.search.sharded import ranges
from factmill.runtime.verify.verify_lexical import lexical_misfits, word_faults
from factmill.runtime.verify.verify_links import link_faults, link_misfits
from factmill.runtime.verify.verify_slices import Slice
from factmill.schemas.index_files import ROW_KINDS
from factmill.schemas.layout import INDEX, BuildDir
from factmill.schemas.tables import PROPOSITIONS_TABLE, QA_PAIRS_TABLE, VECTORS

_SEGMENT, _PROPOSITION, _QA_PAIR = range(len(ROW_KINDS))
# segment, kind, text, start, end of a row as the index has them.
_Row = tuple[str, int, str, int, int]


@dataclass(frozen=True)
class IndexCheck:
    """The open files of a shard."""

    name: str
    shard: Shard
    words: LexicalShard
    links: ShardLinks | None

    @classmethod
    def open(cls, build: BuildDir, shard: int, head: HashHead) -> IndexCheck:
        """Raises CorruptStore when a file is missing, damaged or inconsistent with the others."""
        files = IndexFiles(build, [shard], head)
        (opened,) = files.shards
        for table in (opened.rows, opened.segments, opened.pages):
            table.check()
        words = LexicalShard.open(build.shard(INDEX, shard))
        return cls(
            f"index shard {shard}",
            opened,
            words,
            ShardLinks.open(words) if files.has_links else None,
        )

    def faults(self) -> Iterator[str]:
        """Invalid references; with any of these, single rows are not worth checking."""
        rows, segments = self.shard.rows, self.shard.segments
        page, first = segments.numbers("page"), segments.numbers("first_row")
        count = segments.numbers("rows").astype(np.int64)
        if np.any((page < 0) | (page >= len(self.shard.pages))):
            yield f"{self.name}: a segment refers to a missing page"
        if np.any(count < 1) or count.sum() != len(rows):
            yield f"{self.name}: {len(rows)} rows, its segments have {count.sum()}"
            return
        if not np.array_equal(first, np.cumsum(count) - count):
            yield f"{self.name}: the rows of its segments do not follow each other"
            return
        if not np.array_equal(rows.numbers("segment"), np.repeat(np.arange(len(count)), count)):
            yield f"{self.name}: a row does not belong to the segment that has it"
        kinds = rows.values("kind", np.int8)
        own = np.zeros(len(rows), bool)
        own[first] = True
        if np.any((kinds < 0) | (kinds >= len(ROW_KINDS)) | ((kinds == _SEGMENT) != own)):
            yield f"{self.name}: a row has the wrong kind"
        yield from _inverted_list_faults(self.name, self.shard)
        yield from lexical_misfits(self.name, self.words, page)
        if self.links:
            yield from link_misfits(self.name, self.links)

    def slice_faults(self, part: Slice) -> Iterator[str]:
        """Checks that the index agrees with the tables on every unit of a slice, and has its code
        and its words. Stops at the first fault of a kind, as the others would be the same.
        """
        pages, segments = self.shard.pages, self.shard.segments
        in_slice = _mask(part.holds(pages.column("page_id")))
        of_segments = np.flatnonzero(in_slice[segments.numbers("page")])
        faults = list(self._page_faults(part, np.flatnonzero(in_slice)))
        faults += self._segment_faults(part, of_segments)
        yield from faults
        if not faults:
            yield from self._row_faults(part, of_segments)
            yield from word_faults(self.name, self.words, part, of_segments, segments)
            if self.links:
                yield from link_faults(self.name, self.links, of_segments, segments)

    def _page_faults(self, part: Slice, positions: Integers) -> Iterator[str]:
        if len(positions) != len(part.pages):
            yield f"{self.name}: {len(positions)} pages for {len(part.pages)} of 10_pages"
            return
        found = self.shard.pages.rows(positions)
        for position, page in zip(positions.tolist(), found, strict=True):
            said = part.pages.get(page["page_id"], {})
            if any(said.get(key) != value for key, value in page.items()):
                yield f"{self.name}: page {position} is not the one in 10_pages"
                return

    def _segment_faults(self, part: Slice, positions: Integers) -> Iterator[str]:
        if len(positions) != len(part.segments):
            yield f"{self.name}: {len(positions)} segments for {len(part.segments)} of 11_segments"
            return
        found = self.shard.segments.rows(positions)
        page_ids = self.shard.pages.texts("page_id")
        for position, row in zip(positions.tolist(), found, strict=True):
            segment = part.segments.get(row["segment_id"])
            if (
                segment is None
                or page_ids[row["page"]] != segment["page_id"]
                or (row["kind"], row["text"]) != (segment["kind"], segment["text"])
                or (row["start"], row["end"]) != _stored_offsets(segment)
            ):
                yield f"{self.name}: segment {position} is not the one in 11_segments"
                return

    def _row_faults(self, part: Slice, of_segments: Integers) -> Iterator[str]:
        units, codes = dict(_units(part)), {}
        for row in part.rows(VECTORS):
            codes[row["unit_id"]] = row["code"]
        segments = self.shard.segments
        first, counts = (
            segments.numbers(name)[of_segments].astype(np.int64) for name in ("first_row", "rows")
        )
        positions = ranges(first, counts)
        if not len(positions) == len(units) == len(codes):
            yield f"{self.name}: {len(positions)} rows, {len(codes)} vectors, {len(units)} units"
            return
        segment_ids = segments.texts("segment_id")
        for position, row in zip(positions.tolist(), self.shard.rows.rows(positions), strict=True):
            unit = row["unit_id"]
            segment = segment_ids[row["segment"]]
            said: _Row = (segment, row["kind"], row["text"], row["start"], row["end"])
            if units.pop(unit, None) != said:
                yield f"{self.name}: row {position} is not unit {unit} of its table"
                return
            if codes.get(unit) != self.shard.codes[position].tobytes():
                yield f"{self.name}: row {position} does not have the code of unit {unit}"
                return


def _mask(chunked: Any) -> Flags:
    return np.asarray(chunked.combine_chunks().to_numpy(zero_copy_only=False), bool)


def _stored_offsets(segment: dict[str, Any]) -> tuple[int, int]:
    start, end = segment["start"], segment["end"]
    return (-1 if start is None else start, -1 if end is None else end)


def _units(part: Slice) -> Iterator[tuple[str, _Row]]:
    """The index entries of a slice, by unit id."""
    for segment, row in part.segments.items():
        yield segment, (segment, _SEGMENT, "", 0, len(row["text"]))
    for row in part.rows(PROPOSITIONS_TABLE):
        span = row["evidence_start"], row["evidence_end"]
        yield row["unit_id"], (row["segment_id"], _PROPOSITION, row["text"], *span)
    for row in part.rows(QA_PAIRS_TABLE):
        span = row["answer_start"], row["answer_end"]
        yield row["unit_id"], (row["segment_id"], _QA_PAIR, row["question"], *span)


def _inverted_list_faults(name: str, shard: Shard) -> Iterator[str]:
    """Checks that every row is in one inverted list, with its short code."""
    inverted = shard.inverted_lists
    if inverted is None:
        return
    offsets, rows, short_codes = inverted.offsets, inverted.rows, inverted.short_codes
    if offsets[0] != 0 or offsets[-1] != len(rows) or np.any(np.diff(offsets) < 0):
        yield f"{name}: its inverted lists do not follow each other"
    if not np.array_equal(np.sort(rows), np.arange(len(rows))):
        yield f"{name}: a row is in no inverted list, or in two"
    elif not np.array_equal(short_codes, shard.codes[rows, : short_codes.shape[1]]):
        yield f"{name}: an inverted list has the code of another row"

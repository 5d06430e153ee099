"""Segments that a shard reuses from the parent build, with their entities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Segment
from factmill.schemas.tables import SEGMENTS_TABLE
from factmill.transforms.clean.stored_captures import stored_rows
from factmill.transforms.tasks.reused_files import parent_file
from factmill.transforms.tasks.shard_files import read_segments


@dataclass(frozen=True, slots=True)
class ReusableSegments:
    """The parent's segments by page. `sources` has, for each page, the fingerprint of its capture
    and the sentences that were removed.
    """

    segments: Mapping[str, Sequence[Segment]] = field(default_factory=dict)
    sources: Mapping[str, tuple[str, list[int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, build: BuildDir, parent: BuildDir | None, shard: int) -> ReusableSegments:
        """The segments of a shard of the parent; none when its files are missing or damaged."""
        path = parent_file(build, parent, build.part(SEGMENTS_TABLE, shard))
        if path is None:
            return cls()
        columns = ("fingerprint", "page_id", "left_out")
        sources = {
            row["page_id"]: (row["fingerprint"], row["left_out"])
            for row in stored_rows(parent, shard, columns)
            if row["left_out"] is not None
        }
        segments: defaultdict[str, list[Segment]] = defaultdict(list)
        ids: set[str] = set()
        try:
            for segment in read_segments(path):
                segments[segment.page_id].append(segment)
                ids.add(segment.segment_id)
        except (OSError, pa.ArrowException):
            return cls()  # the manifest may be forged as well
        if len(ids) < sum(map(len, segments.values())):
            return cls()
        return cls(segments, sources)

    def find(self, page_id: str, fingerprint: str, left_out: Iterable[int]) -> Sequence[Segment]:
        """The segments of a page with the same capture and the same removed sentences; empty if the
        parent has no such page.
        """
        if not fingerprint or self.sources.get(page_id) != (fingerprint, sorted(left_out)):
            return ()
        return self.segments.get(page_id, ())

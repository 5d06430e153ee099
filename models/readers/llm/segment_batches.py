"""Which segments of a page share a call: the prompt that all calls begin with is paid once for all.

Depends on the page's segments alone and not on which of them were read before, so that a segment
is always asked about in the same company.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from factmill.schemas.records import Segment

MAX_BATCH_SEGMENTS = 4
# Of text in a shared call; what is longer is asked about by itself.
MAX_BATCH_CHARACTERS = 3000


@dataclass(frozen=True, slots=True)
class SegmentBatch:
    """Consecutive segments of one page that one call asks about."""

    title: str
    segments: tuple[Segment, ...]

    def only(self, ids: Collection[str]) -> SegmentBatch | None:
        """The batch with the segments of these ids alone; None when it has none of them."""
        kept = tuple(segment for segment in self.segments if segment.segment_id in ids)
        return SegmentBatch(self.title, kept) if kept else None


def batches(
    title: str,
    segments: Sequence[Segment],
    most: int = MAX_BATCH_SEGMENTS,
    characters: int = MAX_BATCH_CHARACTERS,
) -> Iterator[SegmentBatch]:
    """All segments in order, each in one batch: of `most` segments and `characters` at the most,
    unless one segment alone is longer."""
    batch: list[Segment] = []
    length = 0
    for segment in segments:
        if batch and (len(batch) >= most or length + len(segment.text) > characters):
            yield SegmentBatch(title, tuple(batch))
            batch, length = [], 0
        batch.append(segment)
        length += len(segment.text)
    if batch:
        yield SegmentBatch(title, tuple(batch))

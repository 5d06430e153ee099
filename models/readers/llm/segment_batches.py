"""Groups the segments of a page into shared calls, so that the prompt is paid for once.

Batches depend only on the page's segments and not on which of them were read before, so a segment
is always asked about together with the same others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from factmill.schemas.records import Segment

DEFAULT_BATCH_SEGMENTS = 4
# Characters of text in a shared call; a longer segment gets its own call.
DEFAULT_BATCH_CHARACTERS = 3000


@dataclass(frozen=True, slots=True)
class SegmentBatch:
    """Consecutive segments of one page in one call."""

    title: str
    segments: tuple[Segment, ...]

    def only(self, ids: Collection[str]) -> SegmentBatch | None:
        """The batch reduced to the segments with these ids; None when none is left."""
        kept = tuple(segment for segment in self.segments if segment.segment_id in ids)
        return SegmentBatch(self.title, kept) if kept else None


def batches(
    title: str,
    segments: Sequence[Segment],
    most: int = DEFAULT_BATCH_SEGMENTS,
    characters: int = DEFAULT_BATCH_CHARACTERS,
) -> Iterator[SegmentBatch]:
    """All segments in order, each in one batch of at most `most` segments and `characters`
    characters, unless a single segment is longer.
    """
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

"""A segment that is all of its page, and its reading."""

from __future__ import annotations

from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.reading import PageContext, Reading
from factmill.schemas.errors import Rejected
from factmill.schemas.records import Segment, SegmentKind


def segment_of(text: str, kind: SegmentKind = "text") -> Segment:
    return Segment("segment-1", "page-1", 0, kind, text, "", None, None)


def reading_if_any(segment: Segment, title: str) -> Reading | None:
    """The reading, or None where the segment states nothing."""
    try:
        return HeuristicReader().read(segment, PageContext(title))
    except Rejected as rejected:
        if rejected.reason != "no_units":
            raise
        return None

"""The segments of a shard, page by page, with the page's title."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Segment
from factmill.transforms.tasks.shard_files import column_map, read_segments

# Small, because whoever asks an LLM about them wants the first ones at once.
_ROWS = 512


@dataclass(frozen=True, slots=True)
class PageSegments:
    """The segments of one page in their order."""

    title: str
    segments: tuple[Segment, ...]


def page_segments(build: BuildDir, shard: int) -> Iterator[PageSegments]:
    """Every page of a shard that has segments."""
    titles = column_map(build.part("10_pages", shard), "page_id", "title")
    segments_of_shard = read_segments(build.part("11_segments", shard), _ROWS)
    for page, segments in groupby(segments_of_shard, attrgetter("page_id")):
        yield PageSegments(titles[page], tuple(segments))

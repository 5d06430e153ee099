"""The segments of a shard, page by page, with the page's title and URL."""

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

    page_id: str
    title: str
    url: str
    segments: tuple[Segment, ...]


def page_segments(build: BuildDir, shard: int) -> Iterator[PageSegments]:
    """Every page of a shard that has segments."""
    pages = build.part("10_pages", shard)
    titles = column_map(pages, "page_id", "title")
    urls = column_map(pages, "page_id", "url")
    segments_of_shard = read_segments(build.part("11_segments", shard), _ROWS)
    for page, segments in groupby(segments_of_shard, attrgetter("page_id")):
        yield PageSegments(page, titles[page], urls[page], tuple(segments))

"""The segments of a shard, page by page, with the page's title."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Entity, Segment
from factmill.transforms.tasks.shard_files import column_map, read_batches

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
    for page, segments in groupby(_segments(build, shard), lambda segment: segment.page_id):
        yield PageSegments(titles[page], tuple(segments))


def _segments(build: BuildDir, shard: int) -> Iterator[Segment]:
    for batch in read_batches(build.part("11_segments", shard), rows=_ROWS):
        for row in batch.to_pylist():
            entities = tuple(Entity(**entity) for entity in row.pop("entities"))
            yield Segment(**row, entities=entities)

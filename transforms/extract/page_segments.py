"""The segments of a shard, page by page, with the page's context and URL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from factmill.models.readers.reading import PageContext
from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Segment
from factmill.schemas.storage.paths import StoragePath
from factmill.transforms.tasks.shard_files import column_map, read_rows, read_segments

# Small, so that the first segments reach an LLM at once.
_ROWS = 512


@dataclass(frozen=True, slots=True)
class PageSegments:
    """The segments of one page, in order."""

    page_id: str
    context: PageContext
    url: str
    segments: tuple[Segment, ...]


def page_segments(build: BuildDir, shard: int) -> Iterator[PageSegments]:
    """Every page of a shard that has segments."""
    pages = build.part("10_pages", shard)
    contexts = page_contexts(pages)
    urls = column_map(pages, "page_id", "url")
    segments_of_shard = read_segments(build.part("11_segments", shard), _ROWS)
    for page, segments in groupby(segments_of_shard, attrgetter("page_id")):
        yield PageSegments(page, contexts[page], urls[page], tuple(segments))


def page_contexts(pages: StoragePath) -> dict[str, PageContext]:
    """The context of each page of a shard, by page id."""
    return {
        row["page_id"]: PageContext.of(row["title"], row["kind"], row["kind_confidence"])
        for row in read_rows(pages, ["page_id", "title", "kind", "kind_confidence"])
    }

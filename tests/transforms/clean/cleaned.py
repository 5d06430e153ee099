"""One page cleaned by itself, as when nothing else is in the crawl."""

from __future__ import annotations

from dataclasses import dataclass

from factmill.models.text.entities import EntityFinder
from factmill.schemas.errors import Rejected
from factmill.schemas.records import Page, Reject, Segment
from factmill.transforms.clean.extract_page import extract_page
from factmill.transforms.clean.merge_shard import with_entities
from factmill.transforms.clean.segment_page import segment_page
from factmill.transforms.inputs.raw_page import RawPage


@dataclass(frozen=True)
class CleanPage:
    page: Page
    segments: list[Segment]


def clean_page(raw: RawPage) -> CleanPage:
    """Raises Rejected."""
    found = extract_page(raw)
    if isinstance(found, Reject):
        assert (found.record_id, found.url) == (raw.source_id, raw.url)
        raise Rejected(found.reason, found.detail)
    segments = segment_page(
        found.page, found.tables, found.data, found.sentences, frozenset(found.headings)
    )
    return CleanPage(found.page, list(with_entities(list(segments), EntityFinder())))

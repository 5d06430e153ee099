"""One page cleaned by itself, as when nothing else is in the crawl."""

from __future__ import annotations

from dataclasses import dataclass

from models.entities import EntityFinder
from schemas.errors import Rejected
from schemas.records import Page, Reject, Segment
from transforms.cleaning import extract_page
from transforms.inputs.raw import RawPage
from transforms.merging import with_entities
from transforms.segmenting import segment_page


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
    segments = segment_page(found.page, found.tables, found.sentences, frozenset(found.headings))
    return CleanPage(found.page, list(with_entities(list(segments), EntityFinder())))

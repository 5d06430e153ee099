"""A page as it came in, before anything is known of its text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from schemas.records import Reject

STAGE = "clean"
# Larger documents are rejected; the largest pages of the CRAG set are 1.6 MB.
MAX_PAGE_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class RawPage:
    """One document: either `html` (bytes as fetched, or decoded text) or plain `text`.

    `charset` is what the transport declared; `url` and `title` are "" where the input has none.
    """

    source_id: str
    url: str = ""
    title: str = ""
    html: bytes | str | None = None
    text: str | None = None
    charset: str = ""
    fetched_at: datetime | None = None


def unreadable(record_id: str, reason: str, detail: object, url: str = "") -> Reject:
    """The reject for a record or a whole file that gave no page."""
    return Reject(STAGE, reason, record_id, url, " ".join(str(detail).split())[:500])

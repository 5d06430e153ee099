"""A page as it came in, before anything is known of its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from factmill.schemas.records import Reject

STAGE = "clean"
# Larger documents are rejected; the largest pages of the CRAG set are 1.6 MB.
MAX_PAGE_BYTES = 20_000_000


_UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


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


def clean_id(value: str) -> str:
    """An id, URL or title as it can be stored: control characters and lone surrogates are gone."""
    return _UNSTORABLE.sub("\ufffd", value)


def unreadable(record_id: str, reason: str, detail: object, url: str = "") -> Reject:
    """The reject for a record or a whole file that gave no page."""
    said = clean_id(" ".join(str(detail).split()))[:500]
    return Reject(STAGE, reason, clean_id(record_id), clean_id(url), said)

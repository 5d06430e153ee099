"""A page as it was input, before any processing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from factmill.schemas.records import Reject

CLEAN_STAGE = "clean"
# The reason of files that could not be opened, or not read to their end.
BROKEN = "broken_file"
# Larger documents are rejected; the largest pages of the CRAG set are 1.6 MB.
MAX_PAGE_BYTES = 20_000_000


# C1 controls, of which U+009B begins commands to terminals, and marks that turn the direction of
# what follows (Unicode's bidirectional embeddings, overrides and isolates). U+0085 is a line break.
_STEERING = r"\x80-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069"
_STEERING_MARK = re.compile(f"[{_STEERING}]")
_UNSTORABLE = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff{_STEERING}]")


@dataclass(frozen=True, slots=True)
class RawPage:
    """One document: either `html` (bytes as fetched, or decoded text) or plain `text`.

    `charset` is the one declared by the transport; `url` and `title` are "" if the input has none.
    """

    source_id: str
    url: str = ""
    title: str = ""
    html: bytes | str | None = None
    text: str | None = None
    charset: str = ""
    fetched_at: datetime | None = None


def clean_id(value: str) -> str:
    """An id or URL that can be stored and printed: control characters, bidirectional marks and lone
    surrogates are replaced.
    """
    return _UNSTORABLE.sub("\ufffd", value)


def clean_title(value: str) -> str:
    """A title that can be stored and printed: as `clean_id`, on one line, and without bidirectional
    marks.
    """
    return " ".join(clean_id(_STEERING_MARK.sub("", value)).split())


def unreadable(record_id: str, reason: str, detail: object, url: str = "") -> Reject:
    """The reject for a record or a whole file that gave no page."""
    said = clean_title(str(detail))[:500]
    return Reject(CLEAN_STAGE, reason, clean_id(record_id), clean_id(url), said)

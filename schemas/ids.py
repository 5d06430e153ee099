"""Ids: content hashes, the same in every build and on every machine.

An id is the first 128 bits of SHA-256 over a tag and the record's identifying parts, as 32
hexadecimal digits. Parts are length-prefixed, so ("ab", "c") and ("a", "bc") differ.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def content_id(tag: str, *parts: str) -> str:
    """32 hexadecimal digits that depend on the tag and on every part."""
    hashed: list[bytes] = []
    for part in (tag, *parts):
        raw = part.encode("utf-8", "surrogatepass")
        hashed += (len(raw).to_bytes(8, "big"), raw)
    return hashlib.sha256(b"".join(hashed)).hexdigest()[:32]


def content_hash(title: str, text: str) -> str:
    """Hash that tells two versions of a page apart."""
    return content_id("content", title, text)


def page_key(url: str, source_id: str) -> str:
    """The key that decides a page's shard: its URL, or its source id if it has no URL."""
    return url or source_id


def page_id(url: str, source_id: str, page_content_hash: str, declared_url: str = "") -> str:
    """Id of a page. A URL identifies its page, so an edited page keeps its id.

    A source id does not (two folders may both hold an index.html), so the content hash counts too,
    or else the URL that the page declares for itself. A declared URL counts only together with the
    source id, never as a URL, so no page can claim the id of another by naming its URL.
    """
    if url:
        return content_id("page", url)
    if declared_url:
        return content_id("page", source_id, "declares", declared_url)
    return content_id("page", source_id, page_content_hash)


def segment_id(page: str, title: str, heading: str, kind: str, text: str, occurrence: int) -> str:
    """Id of a segment; it survives edits elsewhere on the page.

    `occurrence` counts equal segments of one page from 0. Title and heading are part of the id
    because readers and encoders see them together with the segment.
    """
    return content_id("segment", page, title, heading, kind, text, str(occurrence))


def proposition_id(segment: str, text: str, evidence_start: int, evidence_end: int) -> str:
    """Id of a proposition."""
    return content_id("proposition", segment, text, f"{evidence_start}:{evidence_end}")


def qa_pair_id(segment: str, question: str, answer_start: int, answer_end: int) -> str:
    """Id of a QA pair; the answer is the span of the segment."""
    return content_id("qa_pair", segment, question, f"{answer_start}:{answer_end}")


def composed_question_id(kind: str, question: str, units: Sequence[str]) -> str:
    """Id of a composed question; its parts are QA pairs, in order."""
    return content_id("composed", kind, question, *units)


def shard_of(key: str, shards: int) -> int:
    """Shard in [0, shards) of a page key or any other string."""
    if shards < 1:
        raise ValueError(f"shards must be at least 1, not {shards}")
    return int(content_id("shard", key)[:16], 16) % shards

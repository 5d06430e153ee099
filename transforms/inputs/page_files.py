"""Files with one page each: HTML, Markdown or plain text."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from factmill.models.text.urls import canonical_url_of
from factmill.schemas.records import Reject
from factmill.transforms.inputs.compression import DAMAGED, FileKind, open_bytes
from factmill.transforms.inputs.markdown_files import markdown_to_page
from factmill.transforms.inputs.raw_page import (
    MAX_PAGE_BYTES,
    RawPage,
    clean_id,
    clean_title,
    unreadable,
)
from factmill.transforms.inputs.sitemaps import Location
from factmill.transforms.inputs.timestamps import utc_time
from factmill.transforms.markup.decoding import decode_html

# Markdown that consists only of brackets takes 13 microseconds a byte to parse.
_MAX_MARKDOWN_BYTES = 2_000_000
_PART_BYTES = 1 << 20


def read_page_file(path: Path, name: str, kind: FileKind, location: Location) -> RawPage | Reject:
    """One page. Its id is its path below the input folder; its URL and date come from the
    location.
    """
    try:
        with open_bytes(path) as stream:
            body = _read_most(stream, MAX_PAGE_BYTES + 1)
    except DAMAGED as error:
        return unreadable(name, "broken_file", error, location.url)
    if len(body) > MAX_PAGE_BYTES:
        return unreadable(name, "too_large", f"over {MAX_PAGE_BYTES} bytes", location.url)
    if not body.strip():
        return unreadable(name, "empty_body", "the file is empty", location.url)
    if kind == "markdown":
        if len(body) > _MAX_MARKDOWN_BYTES:
            return unreadable(name, "too_large", f"over {_MAX_MARKDOWN_BYTES} bytes", location.url)
        return _markdown_page(decode_html(body), name, location)
    if kind == "text":
        text = decode_html(body)
        return RawPage(name, location.url, text=text, fetched_at=location.modified)
    return RawPage(name, location.url, html=body, fetched_at=location.modified)


def _read_most(stream: BinaryIO, limit: int) -> bytes:
    """At most `limit` bytes. Read in parts, because one read of the limit would take its memory
    first, however small the file.
    """
    parts: list[bytes] = []
    while limit > 0 and (part := stream.read(min(limit, _PART_BYTES))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def _markdown_page(markdown: str, name: str, location: Location) -> RawPage:
    """The front matter supplies what no sitemap states."""
    page = markdown_to_page(markdown)
    own_url = page.url if page.url.lower().startswith(("http://", "https://")) else ""
    return RawPage(
        name,
        location.url or canonical_url_of(clean_id(own_url)),
        clean_title(page.title),
        html=page.html,
        fetched_at=location.modified or utc_time(page.date),
    )

"""One capture of a crawl, from a WARC or an ARC file, to a raw page or the reason why not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from factmill.schemas.records import Reject
from factmill.transforms.inputs.http_bodies import decoded_body
from factmill.transforms.inputs.http_responses import HttpResponse
from factmill.transforms.inputs.raw_page import MAX_PAGE_BYTES, RawPage, unreadable
from factmill.transforms.inputs.sniffing import (
    binary_kind,
    is_binary,
    is_coded,
    looks_like_html,
)
from factmill.transforms.markup.decoding import decode_html

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
# Media types that servers give unknown content, including pages.
_VAGUE_TYPES = frozenset({
    "", "text/plain", "text/xml", "application/xml", "application/octet-stream",
    "binary/octet-stream", "application/unknown", "unknown/unknown", "*/*", "unknown", "no-type",
})  # fmt: skip
# Files for machines, at the root of any site.
_FOR_MACHINES = frozenset({"/robots.txt", "/ads.txt", "/app-ads.txt"})
# Browsertrix puts them beside the pages themselves.
_OF_CRAWLERS = ("urn:text:", "urn:textfinal:")
_AFTER_MEDIA_TYPE = re.compile("[;,]")
_CHARSET = re.compile(r"charset\s*=\s*(?:[\"']\s*)?([^\s\"';,]+)", re.IGNORECASE)
_SNIFFED = 2048


@dataclass(frozen=True, slots=True)
class Capture:
    """A response, or a document without one (`status` None). `body` may be cut above the limit."""

    source_id: str
    url: str
    fetched_at: datetime | None
    body: bytes
    content_type: str = ""
    status: int | None = None
    transfer_encoding: str = ""
    content_encoding: str = ""


def capture_of_response(
    source_id: str, url: str, fetched_at: datetime | None, response: HttpResponse
) -> Capture:
    """The capture of this response, with this id and URL."""
    headers = response.headers
    return Capture(
        source_id,
        url,
        fetched_at,
        response.body,
        headers.get("content-type", ""),
        response.status,
        headers.get("transfer-encoding", ""),
        headers.get("content-encoding", ""),
    )


def page_of_capture(capture: Capture) -> RawPage | Reject:
    """The page: HTML by its header or, if that is vague, by its first bytes; or plain text."""
    source_id, url = capture.source_id, capture.url
    if capture.status not in (None, 200, 203):
        return unreadable(source_id, "http_status", capture.status, url)
    if url.lower().startswith(_OF_CRAWLERS):
        return unreadable(source_id, "not_a_page", "text that a crawler took of a page", url)
    # Proxies join two headers: "text/html, text/html; charset=utf-8".
    media_type = _AFTER_MEDIA_TYPE.split(capture.content_type, maxsplit=1)[0].strip().lower()
    if media_type not in _HTML_TYPES and media_type not in _VAGUE_TYPES:
        return unreadable(source_id, "not_html", media_type, url)
    body = decoded_body(
        capture.body, capture.transfer_encoding, capture.content_encoding, MAX_PAGE_BYTES
    )
    if len(body) > MAX_PAGE_BYTES or len(capture.body) > MAX_PAGE_BYTES:
        return unreadable(source_id, "too_large", f"over {MAX_PAGE_BYTES} bytes", url)
    if not body.strip():
        return unreadable(source_id, "empty_body", "the record has no body", url)
    head = body[:_SNIFFED]
    kind = binary_kind(head)
    if kind:
        return unreadable(source_id, "not_html", f"{media_type or 'no type'}, but {kind}", url)
    if capture.content_encoding and is_coded(head):
        detail = f"{media_type or 'no type'}, but not as coded ({capture.content_encoding})"
        return unreadable(source_id, "not_html", detail, url)
    match = _CHARSET.search(capture.content_type)
    charset = match[1] if match else ""
    if media_type in _HTML_TYPES or looks_like_html(head):
        return RawPage(source_id, url, html=body, charset=charset, fetched_at=capture.fetched_at)
    if media_type != "text/plain" or is_binary(head):
        return unreadable(source_id, "not_html", media_type or "no type", url)
    if _path(url) in _FOR_MACHINES:
        return unreadable(source_id, "not_a_page", "a file for machines", url)
    text = decode_html(body, charset)
    return RawPage(source_id, url, text=text, fetched_at=capture.fetched_at)


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""

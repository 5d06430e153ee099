"""WARC and WET files as raw pages: HTML responses, resources and converted text."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from datetime import timezone
from io import BytesIO
from pathlib import Path
from typing import Any

from fastwarc.stream_io import BrotliReader, ChunkedReader
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from schemas.records import Reject
from transforms.inputs.compression import DAMAGED, open_bytes
from transforms.inputs.raw import MAX_PAGE_BYTES, RawPage, clean_id, unreadable

_HTML_TYPES = ("text/html", "application/xhtml+xml")
_WANTED = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.conversion
_GZIP_OR_ZLIB = 47  # window bits of zlib's automatic detection


def read_warc(path: Path, name: str) -> Iterator[RawPage | Reject]:
    """The pages of a WARC file.

    Responses, resources and conversions are records; requests, metadata and the like are not. A
    file that breaks off yields what came before and one reject for the rest.
    """
    seen = 0
    try:
        with _open(path) as stream:
            # Bodies are decoded below: one wrong header must not end the file.
            records = ArchiveIterator(
                stream, record_types=_WANTED, parse_http=True, auto_decode="none"
            )
            for record in records:
                body = record.reader.read(MAX_PAGE_BYTES + 1)
                if len(body) < min(record.content_length, MAX_PAGE_BYTES + 1):
                    raise EOFError("the record is cut off")
                seen += 1
                yield _page(record, body, f"{name}:{seen}")
            rest = stream.read(1)
        if rest:
            yield unreadable(name, "broken_file", f"unreadable after record {seen}")
    except DAMAGED as error:
        yield unreadable(name, "broken_file", f"after record {seen}: {error}")


def _open(path: Path) -> Any:
    """FastWARC gunzips by itself, member by member, and so gets more out of a damaged file."""
    with path.open("rb") as stream:
        magic = stream.read(3)
    return open_bytes(path) if magic == b"BZh" else path.open("rb")


def _page(record: WarcRecord, body: bytes, fallback_id: str) -> RawPage | Reject:
    source_id = clean_id(record.headers.get("WARC-Record-ID") or fallback_id)
    url = clean_id((record.headers.get("WARC-Target-URI") or "").strip("<> "))
    http = record.http_headers
    if http is not None:
        if http.status_code not in (None, 200, 203):
            return unreadable(source_id, "http_status", http.status_code, url)
        body = _decoded(body, http)
    declared = record.http_content_type if http is not None else record.headers.get("Content-Type")
    media_type = (declared or "").split(";")[0].strip().lower()
    is_text = record.record_type == WarcRecordType.conversion and media_type == "text/plain"
    if not is_text and media_type and media_type not in _HTML_TYPES:
        return unreadable(source_id, "not_html", media_type, url)
    if len(body) > MAX_PAGE_BYTES:
        return unreadable(source_id, "too_large", f"over {MAX_PAGE_BYTES} bytes", url)
    if not body.strip():
        return unreadable(source_id, "empty_body", "the record has no body", url)
    date = record.record_date
    fetched_at = date.astimezone(timezone.utc) if date else None
    if is_text:
        text = body.decode("utf-8", "replace")
        return RawPage(source_id, url, text=text, fetched_at=fetched_at)
    charset = (record.http_charset or "").strip("\"' ")
    return RawPage(source_id, url, html=body, charset=charset, fetched_at=fetched_at)


def _decoded(body: bytes, http: Any) -> bytes:
    """The body without transfer and content coding; one that is not coded as it says stays."""
    if "chunked" in (http.get("Transfer-Encoding") or "").lower():
        body = _or_same(body, lambda: ChunkedReader(BytesIO(body)).read())
    coding = (http.get("Content-Encoding") or "").strip().lower()
    if coding in ("gzip", "x-gzip", "deflate"):
        inflate = zlib.decompressobj(_GZIP_OR_ZLIB)
        return _or_same(body, lambda: inflate.decompress(body, MAX_PAGE_BYTES + 1))
    if coding == "br":
        return _or_same(body, lambda: BrotliReader(BytesIO(body)).read(MAX_PAGE_BYTES + 1))
    return body


def _or_same(body: bytes, decode: Any) -> bytes:
    try:
        return bytes(decode())
    except DAMAGED:
        return body

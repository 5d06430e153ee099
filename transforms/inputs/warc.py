"""WARC files as raw pages: HTML responses and resources, read with FastWARC."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timezone
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from schemas.records import Reject
from transforms.inputs.compression import DAMAGED, open_bytes
from transforms.inputs.raw import MAX_PAGE_BYTES, RawPage, unreadable

_HTML_TYPES = ("text/html", "application/xhtml+xml")


def read_warc(path: Path, name: str) -> Iterator[RawPage | Reject]:
    """The pages of a WARC file.

    Responses and resources are records; requests, metadata and the like are not. A file that
    breaks off yields what came before and one reject for the rest.
    """
    seen = 0
    try:
        with open_bytes(path) as stream:
            wanted = WarcRecordType.response | WarcRecordType.resource
            for record in ArchiveIterator(
                stream, record_types=wanted, parse_http=True, auto_decode="all"
            ):
                seen += 1
                yield _page(record, f"{name}:{seen}")
            rest = stream.read(1)
        if rest:
            yield unreadable(name, "broken_file", f"unreadable after record {seen}")
    except DAMAGED as error:
        yield unreadable(name, "broken_file", f"after record {seen}: {error}")


def _page(record: WarcRecord, fallback_id: str) -> RawPage | Reject:
    source_id = record.headers.get("WARC-Record-ID") or fallback_id
    url = (record.headers.get("WARC-Target-URI") or "").strip("<> ")
    http = record.http_headers
    if http is not None and http.status_code not in (None, 200, 203):
        return unreadable(source_id, "http_status", http.status_code, url)
    declared = record.http_content_type if http is not None else record.headers.get("Content-Type")
    media_type = (declared or "").split(";")[0].strip().lower()
    if media_type and media_type not in _HTML_TYPES:
        return unreadable(source_id, "not_html", media_type, url)
    body = record.reader.read(MAX_PAGE_BYTES + 1)
    if len(body) > MAX_PAGE_BYTES:
        return unreadable(source_id, "too_large", f"over {MAX_PAGE_BYTES} bytes", url)
    if not body.strip():
        return unreadable(source_id, "empty_body", "the record has no body", url)
    date = record.record_date
    return RawPage(
        source_id=source_id,
        url=url,
        html=body,
        charset=record.http_charset or "",
        fetched_at=date.astimezone(timezone.utc) if date else None,
    )

"""WARC and WET files as raw pages: HTML or text responses, resources and converted text."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from datetime import timezone
from pathlib import Path
from typing import Any, BinaryIO

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from factmill.models.text.urls import canonical_url_of
from factmill.schemas.records import Reject
from factmill.transforms.inputs.compression import DAMAGED, expanded_limit, open_bytes, open_regular
from factmill.transforms.inputs.crawl_captures import Capture, page_of_capture
from factmill.transforms.inputs.raw_page import MAX_PAGE_BYTES, RawPage, clean_id, unreadable

_WANTED = (
    WarcRecordType.response
    | WarcRecordType.resource
    | WarcRecordType.conversion
    | WarcRecordType.revisit
    | WarcRecordType.continuation
)
_GZIP = 31  # window bits of zlib for a gzip member


def read_warc(path: Path, name: str) -> Iterator[RawPage | Reject]:
    """The pages of a WARC file.

    Responses, resources, conversions and revisits are records; requests, metadata and the like are
    not. A file that breaks off yields what came before and one reject for the rest.
    """
    seen = end_of_last = 0
    try:
        limit = expanded_limit(path.stat().st_size)
        with _open(path) as stream:
            # Bodies are decoded elsewhere: one wrong header must not end the file.
            records = ArchiveIterator(
                stream, record_types=_WANTED, parse_http=True, auto_decode="none"
            )
            for record in records:
                if record.content_length > limit:
                    raise ValueError(f"a record of {record.content_length} bytes")
                body = record.reader.read(MAX_PAGE_BYTES + 1)
                if len(body) < min(record.content_length, MAX_PAGE_BYTES + 1):
                    raise EOFError("the record is cut off")
                seen, end_of_last = seen + 1, record.stream_pos
                yield _page(record, body, f"{name}:{seen}")
            rest = stream.read(1)
        if rest:
            yield unreadable(name, "broken_file", f"unreadable after record {seen}")
        elif not _ends_whole(path, end_of_last):
            yield unreadable(name, "broken_file", f"cut off after record {seen}")
    except DAMAGED as error:
        yield unreadable(name, "broken_file", f"after record {seen}: {error}")


def _open(path: Path) -> Any:
    """FastWARC gunzips by itself, member by member, and so gets more out of a damaged file.

    What another compression gives is passed on block by block, so that damage costs one block.
    """
    stream = open_regular(path)
    if stream.peek(2)[:2] in (b"\x1f\x8b", b"WA"):  # type: ignore[attr-defined]
        return stream
    stream.close()
    unpacked = open_bytes(path).detach()  # type: ignore[attr-defined]
    if unpacked.seekable():
        unpacked.seek(0)
    return unpacked


def _ends_whole(path: Path, start: int) -> bool:
    """Whether the file goes on from a record's start to the end of a record.

    FastWARC takes a header that is cut off for the end of the file. Damage to files in other
    compressions is seen while they are read.
    """
    with open_regular(path) as stream:
        stream.seek(start)
        magic = stream.read(3)
        stream.seek(start)
        if magic[:2] == b"\x1f\x8b":
            return _members_end_whole(stream)
        if magic[:1] not in (b"W", b"\r", b"\n"):
            return True
        stream.seek(max(start, path.stat().st_size - 4))
        return stream.read().endswith((b"\r\n\r\n", b"\n\n"))


def _members_end_whole(stream: BinaryIO) -> bool:
    inflate = zlib.decompressobj(_GZIP)
    while block := inflate.unused_data or inflate.unconsumed_tail or stream.read(1 << 16):
        if inflate.eof:
            inflate = zlib.decompressobj(_GZIP)
        inflate.decompress(block, 1 << 20)
    return inflate.eof


def _page(record: WarcRecord, body: bytes, fallback_id: str) -> RawPage | Reject:
    source_id = clean_id(record.headers.get("WARC-Record-ID") or fallback_id)
    url = canonical_url_of(clean_id(record.headers.get("WARC-Target-URI") or ""))
    if record.record_type == WarcRecordType.revisit:
        return unreadable(source_id, "revisit", "the same as an earlier capture", url)
    if record.record_type == WarcRecordType.continuation:
        return unreadable(source_id, "segmented", "the rest of another record", url)
    http, date = record.http_headers, record.record_date
    capture = Capture(
        source_id,
        url,
        date.astimezone(timezone.utc) if date else None,
        body,
        _header(record.headers if http is None else http, "Content-Type"),
        None if http is None else http.status_code,
        "" if http is None else _header(http, "Transfer-Encoding"),
        "" if http is None else _header(http, "Content-Encoding"),
    )
    return page_of_capture(capture)


def _header(headers: Any, name: str) -> str:
    return headers.get(name) or ""

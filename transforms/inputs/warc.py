"""WARC and WET files as raw pages: HTML or text responses, resources and converted text."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from factmill.models.text.urls import canonical_url_of
from factmill.schemas.records import Reject
from factmill.schemas.storage.local_storage import open_regular
from factmill.transforms.inputs.compression import DAMAGED, expanded_limit, open_bytes
from factmill.transforms.inputs.crawl_captures import (
    Capture,
    capture_of_response,
    page_of_capture,
)
from factmill.transforms.inputs.gzip_members import GzipMembers
from factmill.transforms.inputs.http_responses import parse_response
from factmill.transforms.inputs.raw_page import RawPage, clean_id, unreadable
from factmill.transforms.inputs.timestamps import utc_time
from factmill.transforms.inputs.warc_records import LostBytes, OddRecord, WarcRecord, read_records

_RECORDS = frozenset({"response", "resource", "conversion", "revisit", "continuation"})
_NO_RECORDS = frozenset({"warcinfo", "request", "metadata"})


def read_warc(path: Path, name: str) -> Iterator[RawPage | Reject]:
    """The pages of a WARC file.

    Requests, metadata and the file's own description do not count as records; everything else does.
    A record of an unknown type, or an unreadable one, is a reject, and reading continues: after its
    length or, without one, at the next version line or gzip member. Skipped bytes become a reject
    that states their number.
    """
    reading = _WarcFile(name)
    try:
        size = path.stat().st_size
        with open_regular(path) as file:
            if file.read(2) != b"\x1f\x8b":
                with open_bytes(path) as stream:
                    yield from reading.pages(stream)
                return
            file.seek(0)
            members = GzipMembers(file, expanded_limit(size))
            yield from _pages_of_members(reading, members)
    except DAMAGED as error:
        yield reading.broken(str(error))


def _pages_of_members(reading: _WarcFile, members: GzipMembers) -> Iterator[RawPage | Reject]:
    """All pages, including those after damaged members."""
    stream = io.BufferedReader(members, 1 << 16)
    while True:
        try:
            yield from reading.pages(stream)
            return
        except (zlib.error, EOFError) as error:
            yield reading.broken(str(error), members.take_lost())


class _WarcFile:
    """The state of reading one file."""

    def __init__(self, name: str) -> None:
        self._name, self._seen = name, 0

    def pages(self, stream: BinaryIO) -> Iterator[RawPage | Reject]:
        """The pages from the stream's position on. Raises as `read_records` does."""
        for found in read_records(stream):
            if isinstance(found, LostBytes):
                yield self.broken("no record begins there", found.bytes)
            elif isinstance(found, OddRecord):
                self._seen += 1
                record_id = clean_id(found.record_id) or f"{self._name}:{self._seen}"
                yield unreadable(record_id, "bad_record", found.detail)
            elif found.type not in _NO_RECORDS:
                self._seen += 1
                yield _page(found, f"{self._name}:{self._seen}")

    def broken(self, why: str, lost: int = 0) -> Reject:
        """The reject for a damaged part of the file, located within `lost` bytes."""
        said = f"after record {self._seen}: {why}"
        detail = f"{said}; within {lost} bytes" if lost else said
        return unreadable(self._name, "broken_file", detail)


def _page(record: WarcRecord, fallback_id: str) -> RawPage | Reject:
    headers = record.headers
    source_id = clean_id(headers.get("warc-record-id") or fallback_id)
    url = canonical_url_of(clean_id(headers.get("warc-target-uri", "")))
    if record.type not in _RECORDS:
        return unreadable(source_id, "bad_record", f"WARC-Type {record.type!r}", url)
    if record.type == "revisit":
        return unreadable(source_id, "revisit", "the same as an earlier capture", url)
    if record.type == "continuation":
        return unreadable(source_id, "segmented", "the rest of another record", url)
    date, media_type = utc_time(headers.get("warc-date")), headers.get("content-type", "")
    if not media_type.lower().startswith("application/http"):
        return page_of_capture(Capture(source_id, url, date, record.body, media_type))
    response = parse_response(record.body)
    if response is None:
        return unreadable(source_id, "bad_record", "no HTTP response", url)
    return page_of_capture(capture_of_response(source_id, url, date, response))

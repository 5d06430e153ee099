"""ARC files, the format of crawls before WARC, as raw pages.

A record is one line (URL, address, date, type, length in bytes; five more fields in version 2) and
that many bytes, mostly an HTTP response. The first record describes the file. URLs may contain
spaces, so fields are counted from the right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import BinaryIO

from factmill.models.text.urls import canonical_url_of
from factmill.schemas.records import Reject
from factmill.transforms.inputs.compression import DAMAGED, open_bytes
from factmill.transforms.inputs.crawl_captures import (
    Capture,
    capture_of_response,
    page_of_capture,
)
from factmill.transforms.inputs.http_responses import MAX_HTTP_HEADER_BYTES, parse_response
from factmill.transforms.inputs.raw_page import MAX_PAGE_BYTES, RawPage, clean_id, unreadable

_FIELDS_AFTER_URL = {b"1": 4, b"2": 9}
_MAX_LINE_BYTES = 1 << 16
_LENGTH = re.compile(rb"[0-9]{1,15}")
_DATE = re.compile(rb"[0-9]{12,17}")


@dataclass(frozen=True, slots=True)
class _Header:
    url: str
    date: bytes
    media_type: str
    length: int


def read_arc(path: Path, name: str) -> Iterator[RawPage | Reject]:
    """The pages of an ARC file. A truncated file yields the pages before its end and one reject."""
    seen = 0
    try:
        with open_bytes(path) as stream:
            fields = _read_description(stream)
            while line := _next_line(stream):
                header = _parsed(line, fields)
                body = stream.read(min(header.length, MAX_PAGE_BYTES + MAX_HTTP_HEADER_BYTES))
                left = header.length - len(body)
                while left and (skipped := stream.read(min(left, 1 << 20))):
                    left -= len(skipped)
                if left:
                    raise EOFError("the record is cut off")
                seen += 1
                yield page_of_capture(_capture(header, body, f"{name}:{seen}"))
    except DAMAGED as error:
        yield unreadable(name, "broken_file", f"after record {seen}: {error}")


def _read_description(stream: BinaryIO) -> int:
    """Skip the first record; returns the number of fields after the URL in later records."""
    line = _next_line(stream)
    version = stream.readline(_MAX_LINE_BYTES)
    fields = _FIELDS_AFTER_URL.get(version[:1])
    if fields is None:
        raise ValueError("neither version 1 nor 2 of the format")
    for count in (fields, *_FIELDS_AFTER_URL.values()):  # some claim to be version 1
        try:
            left = _parsed(line, count).length - len(version)
            break
        except ValueError:
            continue
    else:
        raise ValueError("no description of the file")
    if left < 0 or len(stream.read(min(left, MAX_PAGE_BYTES))) < left:
        raise ValueError("the description of the file has the wrong length")
    return fields


def _next_line(stream: BinaryIO) -> bytes:
    """The next line that is not blank; b"" at the end of the file."""
    while line := stream.readline(_MAX_LINE_BYTES):
        if line.strip():
            return line.strip()
    return b""


def _parsed(line: bytes, fields: int) -> _Header:
    """Raises ValueError when the line is not a record's header."""
    url, *values = line.rsplit(b" ", fields)
    if (
        len(values) != fields
        or not _LENGTH.fullmatch(values[-1])
        or not _DATE.fullmatch(values[1])
        or b":" not in url
    ):
        raise ValueError(f"no record begins with {line[:80]!r}")
    media_type = values[2].decode("ascii", "replace")
    return _Header(url.decode("utf-8", "replace"), values[1], media_type, int(values[-1]))


def _capture(header: _Header, body: bytes, source_id: str) -> Capture:
    url = canonical_url_of(clean_id(header.url))
    fetched_at = _time(header.date)
    response = parse_response(body)
    if response is None:
        return Capture(source_id, url, fetched_at, body, header.media_type)
    return capture_of_response(source_id, url, fetched_at, response)


def _time(digits: bytes) -> datetime | None:
    """Year to second, or to minute as in early version 1; longer ones are cut."""
    text = digits[:14].decode()
    try:
        form = "%Y%m%d%H%M%S" if len(text) == 14 else "%Y%m%d%H%M"
        return datetime.strptime(text, form).replace(tzinfo=timezone.utc)
    except ValueError:
        return None

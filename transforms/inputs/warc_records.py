"""The records of a WARC stream, and the bytes skipped between them.

A record is a version line, headers, a blank line, and as many bytes as Content-Length says.
Anywhere else, reading continues at the next version line. Where no record follows one, its length
may be too large: then it ends before the next record that is within it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Protocol

from factmill.transforms.inputs.compression import DAMAGED
from factmill.transforms.inputs.http_responses import MAX_HTTP_HEADER_BYTES, parse_headers
from factmill.transforms.inputs.raw_page import MAX_PAGE_BYTES

# Real headers are shorter; a URL has at most a few kilobytes.
MAX_WARC_HEADER_BYTES = 1 << 16
# How far to search the headers of an oversized record for its length.
_MAX_SKIPPED_HEADER_BYTES = 1 << 24
# The part of a record that is kept: a page and the headers before it.
_MAX_BODY_BYTES = MAX_PAGE_BYTES + MAX_HTTP_HEADER_BYTES + 1
_VERSION = re.compile(rb"WARC/[0-9]\.[0-9]{1,2}\s*\n")
_LENGTH = re.compile(rb"\s*([0-9]{1,18})\s*")
_MAX_LINE_BYTES = 1 << 16
_NEXT_RECORD = re.compile(rb"\r?\n\r?\n(?=WARC/[0-9]\.[0-9]{1,2}\r?\n[a-zA-Z-]{1,40}:)")
# Each costs another look at up to a page; more are made to cost time.
_MAX_TOO_LONG = 100


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """`headers` have names in lower case. `body` is cut above the size limit of a page."""

    headers: dict[str, str]
    body: bytes

    @property
    def type(self) -> str:
        return self.headers.get("warc-type", "").lower()


@dataclass(frozen=True, slots=True)
class OddRecord:
    """A record with valid bounds that cannot be used; `record_id` is "" if it has none."""

    record_id: str
    detail: str


@dataclass(frozen=True, slots=True)
class LostBytes:
    """Bytes of the stream outside of records."""

    bytes: int


class _Bytes(Protocol):
    def read(self, size: int, /) -> bytes: ...

    def readline(self, size: int, /) -> bytes: ...


class _Rest:
    """What of a stream was read too far, and then the stream."""

    def __init__(self, begun: bytes, stream: _Bytes) -> None:
        self._begun, self._stream = io.BytesIO(begun), stream

    def put_back(self, begun: bytes) -> None:
        """Read these bytes again, then what follows them. A chain of streams would keep what was
        read of each.
        """
        self._begun = io.BytesIO(begun + self._begun.read())

    def read(self, size: int) -> bytes:
        found = self._begun.read(size)
        return found + self._stream.read(size - len(found)) if len(found) < size else found

    def readline(self, size: int) -> bytes:
        line = self._begun.readline(size)
        if line.endswith(b"\n") or len(line) == size:
            return line
        return line + self._stream.readline(size - len(line))


def read_records(stream: BinaryIO) -> Iterator[WarcRecord | OddRecord | LostBytes]:
    """The records of the stream, in order, from its position on.

    Raises EOFError when it ends within a record, and the stream's own errors. If the stream can
    continue after damage, call it again.
    """
    source: _Bytes = stream
    too_long = 0
    _, line = _next_line(source)
    while line:
        if not _VERSION.fullmatch(line):
            lost, line = _to_next_version(source, len(line))
            yield LostBytes(lost)
            if not line:
                return
        record, missing = _read_record(source)
        try:
            blank, line = (b"", b"") if missing else _next_line(source)
        except DAMAGED:
            yield record
            raise
        strays = bool(missing or (line and not _VERSION.fullmatch(line)))
        if strays and too_long < _MAX_TOO_LONG and isinstance(record, WarcRecord):
            end = _NEXT_RECORD.search(record.body)
            if end and len(record.body) < _MAX_BODY_BYTES:
                too_long += 1
                begun = record.body[end.end() :] + blank + line
                if isinstance(source, _Rest):
                    source.put_back(begun)
                else:
                    source = _Rest(begun, stream)
                record, missing = replace(record, body=record.body[: end.start()]), ""
                _, line = _next_line(source)
        if missing:
            raise EOFError(missing)
        yield record


def _next_line(stream: _Bytes) -> tuple[bytes, bytes]:
    """Blank lines, and the next line that is not blank; b"" at the end."""
    blank = b""
    while line := stream.readline(_MAX_LINE_BYTES):
        if line.strip():
            return blank, line
        if len(blank) < _MAX_LINE_BYTES:
            blank += line
    return blank, b""


def _to_next_version(stream: _Bytes, passed: int) -> tuple[int, bytes]:
    """The number of bytes before the next version line, and that line; b"" at the end."""
    while (line := stream.readline(_MAX_LINE_BYTES)) and not _VERSION.fullmatch(line):
        passed += len(line)
    return passed, line


def _read_record(stream: _Bytes) -> tuple[WarcRecord | OddRecord, str]:
    """The record after a version line, and what of it is missing at the end of the stream."""
    raw, size, length = b"", 0, None
    starts_line = True
    while line := stream.readline(_MAX_LINE_BYTES):
        if starts_line and line in (b"\r\n", b"\n"):
            break
        size += len(line)
        if size > _MAX_SKIPPED_HEADER_BYTES:
            return OddRecord(_id_of(raw), f"headers over {_MAX_SKIPPED_HEADER_BYTES} bytes"), ""
        if starts_line and line[:15].lower() == b"content-length:":
            match = _LENGTH.fullmatch(line[15:])
            length = int(match[1]) if match else None
        if size <= MAX_WARC_HEADER_BYTES:
            raw += line
        starts_line = line.endswith(b"\n")
    else:
        raise EOFError(f"cut off after {size} bytes of the headers of a record")
    if length is None:
        return OddRecord(_id_of(raw), "headers without a Content-Length"), ""
    body, left = _read_body(stream, length)
    missing = f"the record is cut off after {length - left} of {length} bytes" if left else ""
    if size > MAX_WARC_HEADER_BYTES:
        return OddRecord(_id_of(raw), f"headers of {size} bytes"), missing
    return WarcRecord(parse_headers(raw, "utf-8"), body), missing


def _id_of(raw_headers: bytes) -> str:
    return parse_headers(raw_headers, "utf-8").get("warc-record-id", "")


def _read_body(stream: _Bytes, length: int) -> tuple[bytes, int]:
    """The part of a body that is kept, and how many bytes of it the stream lacks."""
    body = stream.read(min(length, _MAX_BODY_BYTES))
    left = length - len(body)
    while left and (skipped := stream.read(min(left, 1 << 20))):
        left -= len(skipped)
    return body, left

"""The records of a WARC stream, and the bytes skipped between them.

A record is a version line, headers, a blank line, and as many bytes as Content-Length says.
Anywhere else, reading continues at the next version line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

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


def read_records(stream: BinaryIO) -> Iterator[WarcRecord | OddRecord | LostBytes]:
    """The records of the stream, in order, from its position on.

    Raises EOFError when it ends within a record, and the stream's own errors. If the stream can
    continue after damage, call it again.
    """
    while line := _next_line(stream):
        if not _VERSION.fullmatch(line):
            lost, line = _to_next_version(stream, len(line))
            yield LostBytes(lost)
            if not line:
                return
        yield _read_record(stream)


def _next_line(stream: BinaryIO) -> bytes:
    """The next line that is not blank; b"" at the end."""
    while line := stream.readline(_MAX_LINE_BYTES):
        if line.strip():
            return line
    return b""


def _to_next_version(stream: BinaryIO, passed: int) -> tuple[int, bytes]:
    """The number of bytes before the next version line, and that line; b"" at the end."""
    while (line := stream.readline(_MAX_LINE_BYTES)) and not _VERSION.fullmatch(line):
        passed += len(line)
    return passed, line


def _read_record(stream: BinaryIO) -> WarcRecord | OddRecord:
    """The record after a version line."""
    raw, size, length = b"", 0, None
    starts_line = True
    while line := stream.readline(_MAX_LINE_BYTES):
        if starts_line and line in (b"\r\n", b"\n"):
            break
        size += len(line)
        if size > _MAX_SKIPPED_HEADER_BYTES:
            return OddRecord(_id_of(raw), f"headers over {_MAX_SKIPPED_HEADER_BYTES} bytes")
        if starts_line and line[:15].lower() == b"content-length:":
            match = _LENGTH.fullmatch(line[15:])
            length = int(match[1]) if match else None
        if size <= MAX_WARC_HEADER_BYTES:
            raw += line
        starts_line = line.endswith(b"\n")
    else:
        raise EOFError(f"cut off after {size} bytes of the headers of a record")
    if length is None:
        return OddRecord(_id_of(raw), "headers without a Content-Length")
    body = _read_body(stream, length)
    if size > MAX_WARC_HEADER_BYTES:
        return OddRecord(_id_of(raw), f"headers of {size} bytes")
    return WarcRecord(parse_headers(raw, "utf-8"), body)


def _id_of(raw_headers: bytes) -> str:
    return parse_headers(raw_headers, "utf-8").get("warc-record-id", "")


def _read_body(stream: BinaryIO, length: int) -> bytes:
    body = stream.read(min(length, _MAX_BODY_BYTES))
    left = length - len(body)
    while left and (skipped := stream.read(min(left, 1 << 20))):
        left -= len(skipped)
    if left:
        raise EOFError(f"the record is cut off after {length - left} of {length} bytes")
    return body

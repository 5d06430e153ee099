"""The records of a WARC stream, and what is passed over between them.

A record is a version line, headers, a blank line, and as many bytes as Content-Length says. Where
none of that is found, reading goes on at the next version line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from factmill.transforms.inputs.http_responses import MAX_HTTP_HEADER_BYTES, parse_headers
from factmill.transforms.inputs.raw_page import MAX_PAGE_BYTES

# No crawler writes more on purpose; a URL has at most some kilobytes.
MAX_WARC_HEADER_BYTES = 1 << 16
# Headers are looked through this far for the length of a record that is not kept.
_MAX_SKIPPED_HEADER_BYTES = 1 << 24
# More of a record is not kept: a page and the headers before it.
_MAX_BODY_BYTES = MAX_PAGE_BYTES + MAX_HTTP_HEADER_BYTES + 1
_VERSION = re.compile(rb"WARC/[0-9]\.[0-9]{1,2}\s*\n")
_LENGTH = re.compile(rb"\s*([0-9]{1,18})\s*")
_LONGEST_LINE = 1 << 16


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """`headers` have names in lower case. `body` is cut beyond what a page may have."""

    headers: dict[str, str]
    body: bytes

    @property
    def type(self) -> str:
        return self.headers.get("warc-type", "").lower()


@dataclass(frozen=True, slots=True)
class OddRecord:
    """A record that has its bounds and cannot be kept; `record_id` is "" when it says none."""

    record_id: str
    detail: str


@dataclass(frozen=True, slots=True)
class LostBytes:
    """Bytes of the stream between what begins and ends like records."""

    bytes: int


def read_records(stream: BinaryIO) -> Iterator[WarcRecord | OddRecord | LostBytes]:
    """What the stream holds, in order, from where it stands.

    Raises EOFError when it ends within a record, and what the stream raises. Where the stream can
    go on behind damage, call it again.
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
    while line := stream.readline(_LONGEST_LINE):
        if line.strip():
            return line
    return b""


def _to_next_version(stream: BinaryIO, passed: int) -> tuple[int, bytes]:
    """How many bytes lie before the next version line, and that line; b"" at the end."""
    while (line := stream.readline(_LONGEST_LINE)) and not _VERSION.fullmatch(line):
        passed += len(line)
    return passed, line


def _read_record(stream: BinaryIO) -> WarcRecord | OddRecord:
    """The record whose version line was read."""
    raw, size, length = b"", 0, None
    starts_line = True
    while line := stream.readline(_LONGEST_LINE):
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

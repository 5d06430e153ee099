"""WARC files for tests, written with warcio: an implementation other than the one under test."""

from __future__ import annotations

import random
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from factmill.schemas.records import Reject
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.inputs.warc import read_warc

PAGE = b"<html><body><p>The harbour of Port Elland.</p></body></html>"


@dataclass(frozen=True)
class ArchivedRecord:
    """One record; `headers` are HTTP headers besides the content type."""

    url: str
    body: bytes
    content_type: str = "text/html; charset=utf-8"
    type: str = "response"
    status: str = "200 OK"
    headers: tuple[tuple[str, str], ...] = ()
    date: str = "2023-03-11T09:00:04Z"


def warc_bytes(captures: list[ArchivedRecord], gzip: bool) -> tuple[bytes, list[int]]:
    """The file, and where each of its records ends."""
    buffer = BytesIO()
    writer = WARCWriter(buffer, gzip=gzip)
    ends = []
    for capture in captures:
        http = None
        if capture.type in ("response", "request"):
            fields = [("Content-Type", capture.content_type), *capture.headers]
            if capture.type == "request":
                http = StatusAndHeaders("GET / HTTP/1.1", fields, is_http_request=True)
            else:
                http = StatusAndHeaders(capture.status, fields, protocol="HTTP/1.1")
        record = writer.create_warc_record(
            capture.url,
            capture.type,
            payload=BytesIO(capture.body),
            length=len(capture.body),
            warc_content_type="" if http else capture.content_type,
            warc_headers_dict={"WARC-Date": capture.date},
            http_headers=http,
        )
        writer.write_record(record)
        ends.append(buffer.tell())
    return buffer.getvalue(), ends


def chunked(body: bytes, size: int) -> bytes:
    """A body in HTTP/1.1 chunked transfer coding (RFC 9112, section 7.1)."""
    chunks = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


def noisy_page(number: int, size: int = 8000) -> bytes:
    """A page that does not compress well, so that a cut file is cut where a test says."""
    noise = random.Random(number).randbytes(size // 2).hex()
    return f"<html><body><p>Page {number}: {noise}</p></body></html>".encode()


def read_bytes(path: Path, content: bytes) -> list[RawPage | Reject]:
    path.write_bytes(content)
    return list(read_warc(path, "c.warc"))


def urls_in(found: list[RawPage | Reject]) -> list[str]:
    return [record.url for record in found if isinstance(record, RawPage)]


def rejects_in(found: list[RawPage | Reject]) -> list[Reject]:
    return [record for record in found if isinstance(record, Reject)]

"""Regenerate crawl.warc.gz from crawl_pages/, byte for byte.

Run it from anywhere, with the development dependencies installed::

    python samples/make_crawl.py

The records, their order, dates and WARC-Record-IDs stand in crawl_pages/captures.jsonl, one
JSON object per line.  The script reads no clock and draws no random number, so two runs with
the same zlib write the same file.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

HERE = Path(__file__).resolve().parent
WARCINFO = b"software: factmill samples/make_crawl.py\r\nformat: WARC File Format 1.0\r\n"
USER_AGENT = "factmill-sample-crawler"
DATE_FORMAT = "%Y-%m-%dT%H:%M:%S%z"


@dataclass(frozen=True)
class SampleCapture:
    """One line of captures.jsonl: one record of the WARC file."""

    id: str
    type: str
    date: str
    url: str = ""
    file: str = ""
    content_type: str = ""
    server: str = ""
    status: str = "200 OK"


def read_captures(path: Path) -> Iterator[SampleCapture]:
    """Yield the captures of a JSON Lines file in the order of its lines."""
    for line in path.read_text(encoding="utf-8").splitlines():
        yield SampleCapture(**json.loads(line))


def http_parts(capture: SampleCapture, pages: Path) -> tuple[Any, bytes]:
    """Return the HTTP headers (None for a warcinfo record) and the body of a capture."""
    if capture.type == "warcinfo":
        return None, WARCINFO
    if capture.type == "request":
        parts = urlsplit(capture.url)
        fields = [("Host", parts.netloc), ("User-Agent", USER_AGENT), ("Accept", "text/html")]
        line = f"GET {parts.path} HTTP/1.1"
        return StatusAndHeaders(line, fields, is_http_request=True), b""
    body = (pages / capture.file).read_bytes()
    fields = [
        ("Date", format_datetime(datetime.strptime(capture.date, DATE_FORMAT), usegmt=True)),
        ("Server", capture.server),
        ("Content-Type", capture.content_type),
        ("Content-Length", str(len(body))),
    ]
    return StatusAndHeaders(capture.status, fields, protocol="HTTP/1.1"), body


def write_crawl(pages: Path, out: Path) -> int:
    """Write one gzip member per capture to ``out`` and return the number of records."""
    buffer = BytesIO()
    writer = WARCWriter(buffer, gzip=True, warc_version="1.0")
    count = 0
    for capture in read_captures(pages / "captures.jsonl"):
        headers, body = http_parts(capture, pages)
        fields = {"WARC-Record-ID": capture.id, "WARC-Date": capture.date}
        if capture.type == "warcinfo":
            fields["WARC-Filename"] = out.name
        record = writer.create_warc_record(
            capture.url,
            capture.type,
            payload=BytesIO(body),
            length=len(body),
            warc_headers_dict=fields,
            http_headers=headers,
        )
        writer.write_record(record)
        count += 1
    out.write_bytes(buffer.getvalue())
    return count


def main() -> None:
    """Parse the command line and write the file."""
    parser = argparse.ArgumentParser(description="Regenerate the WARC file of the sample crawl.")
    parser.add_argument("--pages", type=Path, default=HERE / "crawl_pages", help="page sources")
    parser.add_argument("--out", type=Path, default=HERE / "crawl.warc.gz", help="file to write")
    args = parser.parse_args()
    print(f"{write_crawl(args.pages, args.out)} records written to {args.out}")


if __name__ == "__main__":
    main()

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from datetime import datetime, timezone
from io import BytesIO
from pathlib import Path

import pytest
import zstandard
from warcio.archiveiterator import ArchiveIterator

from factmill.schemas.records import Reject
from factmill.transforms.inputs import arc
from factmill.transforms.inputs import crawl_captures as captures_module
from factmill.transforms.inputs.arc import read_arc
from factmill.transforms.inputs.raw_page import RawPage

PAGE = b"<html><body><p>The harbour of Port Elland.</p></body></html>"
V1 = "1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n"
V2 = (
    "2 0 Test\nURL IP-address Archive-date Content-type Result-code Checksum Location Offset "
    "Filename Archive-length\n"
)


def _http(body: bytes = PAGE, status: str = "200 OK", fields: str = "") -> bytes:
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n{fields}\r\n".encode()
        + body
    )


def _record(url: str, content: bytes, version: int = 1, media_type: str = "text/html") -> bytes:
    middle = "200 abc - 0 x.arc " if version == 2 else ""
    line = f"{url} 192.0.2.1 20010203040506 {media_type} {middle}{len(content)}\n"
    return line.encode() + content + b"\n"


def _description(version: int = 1) -> bytes:
    text = (V1 if version == 1 else V2).encode()
    return _record("filedesc://x.arc", text, version, "text/plain")


def _read(path: Path, content: bytes) -> list[RawPage | Reject]:
    path.write_bytes(content)
    return list(read_arc(path, "x.arc"))


def _told(found: list[RawPage | Reject]) -> list[str]:
    return [one.url if isinstance(one, RawPage) else one.reason for one in found]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, zstandard.compress])
def test_read_arc_agrees_with_warcio(
    tmp_path: Path, version: int, pack: Callable[[bytes], bytes]
) -> None:
    bodies = {"http://a.example/1": PAGE, "http://a.example/b": PAGE * 99}
    records = [_record(url, _http(body), version) for url, body in bodies.items()]
    whole = [_description(version), *records]
    expected = list(bodies.items())
    reference = [
        (record.rec_headers["WARC-Target-URI"], record.content_stream().read())
        for record in ArchiveIterator(BytesIO(b"".join(whole)), arc2warc=True)
        if record.rec_type == "response"
    ]
    found = _read(tmp_path / "x", b"".join(map(pack, whole)))
    pages = [page for page in found if isinstance(page, RawPage)]
    assert [(page.url, page.html) for page in pages] == expected
    assert version == 2 or reference == expected  # warcio reads version 1 only
    assert {page.fetched_at for page in pages} == {
        datetime(2001, 2, 3, 4, 5, 6, tzinfo=timezone.utc)
    }
    assert [page.source_id for page in pages] == ["x.arc:1", "x.arc:2"]


def test_read_arc_says_why_records_are_no_pages(tmp_path: Path) -> None:
    content = _description() + b"".join([
        _record("dns:a.example", b"20010203 a.example 192.0.2.1", media_type="text/dns"),
        _record("http://a.example/404", _http(status="404 Not Found")),
        _record("http://a.example/none", _http(b" \r\n")),
        _record("http://a.example/robots.txt", b"User-agent: *", media_type="text/plain"),
        _record("http://a.example/old", PAGE),
        _record("http://a.example/with space", _http()),
    ])  # fmt: skip
    assert _told(_read(tmp_path / "x", content)) == [
        "not_html", "http_status", "empty_body", "not_a_page", "http://a.example/old",
        "http://a.example/with%20space",
    ]  # fmt: skip


def test_read_arc_body_is_decoded(tmp_path: Path) -> None:
    http = _http(gzip.compress(PAGE), fields="content-encoding: gzip\r\n")
    (page,) = _read(tmp_path / "x", _description() + _record("http://a.example/", http))
    assert isinstance(page, RawPage)
    assert (page.html, page.charset) == (PAGE, "utf-8")


def test_read_arc_described_in_version_1_with_records_of_version_2(tmp_path: Path) -> None:
    description = _record("filedesc://x.arc", V2.encode(), 1, "text/plain")
    found = _read(tmp_path / "x", description + _record("http://a.example/", _http(), 2))
    assert _told(found) == ["http://a.example/"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("kept", [10, 300, 4200])
def test_read_arc_cut_off_gives_what_came_before_and_one_reject(
    tmp_path: Path, pack: Callable[[bytes], bytes], kept: int
) -> None:
    noise = b"".join(b"%d " % (n * n) for n in range(3000))
    last = pack(_record("http://a.example/2", _http(noise)))
    before = pack(_description()) + pack(_record("http://a.example/1", _http()))
    assert _told(_read(tmp_path / "x", before + last[:kept])) == [
        "http://a.example/1", "broken_file",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        b"http://a.example/ 192.0.2.1 20010203040506 text/html -1\n",
        b"http://a.example/ 192.0.2.1 20010203040506 text/html abc\n",
        b"http://a.example/ 192.0.2.1 yesterday text/html 5\n",
        b"no header at all\n",
        b"x" * 100_000 + b"\n",
        b"http://a.example/ 192.0.2.1 20010203040506 text/html 999999999999999\n",
    ],
)
def test_read_arc_line_that_heads_no_record_ends_the_file(tmp_path: Path, line: bytes) -> None:
    content = _description() + _record("http://a.example/1", _http()) + line + b"hello"
    assert _told(_read(tmp_path / "x", content)) == ["http://a.example/1", "broken_file"]


@pytest.mark.parametrize("content", [b"filedesc://x", b"filedesc://x 0 20010203040506 a 9\n9 9\n"])
def test_read_arc_without_a_description_is_a_reject(tmp_path: Path, content: bytes) -> None:
    assert _told(_read(tmp_path / "x", content)) == ["broken_file"]


def test_read_arc_page_over_the_limit_is_a_reject_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (arc, captures_module):
        monkeypatch.setattr(module, "MAX_PAGE_BYTES", 1000)
    monkeypatch.setattr(arc, "MAX_HTTP_HEADER_BYTES", 500)
    big = _record("http://a.example/big", _http(b"<p>" + b"x" * 90_000))
    small = _record("http://a.example/small", _http())
    found = _read(tmp_path / "x", _description() + big + small)
    assert _told(found) == ["too_large", "http://a.example/small"]


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        ("200102030405", datetime(2001, 2, 3, 4, 5, tzinfo=timezone.utc)),
        ("20010203040506999", datetime(2001, 2, 3, 4, 5, 6, tzinfo=timezone.utc)),
        ("20011303040506", None),
        ("2001020304050", None),
    ],
)
def test_read_arc_date_with_other_digits(
    tmp_path: Path, digits: str, expected: datetime | None
) -> None:
    record = _record("http://a.example/", _http()).replace(b"20010203040506", digits.encode())
    (page,) = _read(tmp_path / "x", _description() + record)
    assert isinstance(page, RawPage)
    assert page.fetched_at == expected

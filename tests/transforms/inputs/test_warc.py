from __future__ import annotations

import bz2
import gzip as gzip_module
import random
import re
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest
import zstandard
from warcio.archiveiterator import ArchiveIterator

from factmill.schemas.records import Reject
from factmill.transforms.inputs import crawl_captures as captures_module
from factmill.transforms.inputs import warc_records
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.inputs.warc import read_warc
from tests.conftest import SAMPLES
from tests.transforms.inputs.warc_files import ArchivedRecord, chunked, warc_bytes

CRAWL = SAMPLES / "crawl.warc.gz"
PAGE = b"<html><body><p>The harbour of Port Elland.</p></body></html>"


def _page(number: int, size: int = 8000) -> bytes:
    """A page that does not compress well, so that a cut file is cut where a test says."""
    noise = random.Random(number).randbytes(size // 2).hex()
    return f"<html><body><p>Page {number}: {noise}</p></body></html>".encode()


def _read(path: Path, content: bytes) -> list[RawPage | Reject]:
    path.write_bytes(content)
    return list(read_warc(path, "c.warc"))


def _urls(found: list[RawPage | Reject]) -> list[str]:
    return [record.url for record in found if isinstance(record, RawPage)]


def _rejects(found: list[RawPage | Reject]) -> list[Reject]:
    return [record for record in found if isinstance(record, Reject)]


def test_read_warc_sample_crawl_agrees_with_warcio() -> None:
    expected = {}
    skipped = {}
    with CRAWL.open("rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type != "response":
                continue
            headers, http = record.rec_headers, record.http_headers
            source, url = headers["WARC-Record-ID"], headers["WARC-Target-URI"]
            html = http.get_header("Content-Type", "").startswith("text/html")
            if html and http.get_statuscode() == "200":
                date = datetime.strptime(headers["WARC-Date"], "%Y-%m-%dT%H:%M:%S%z")
                expected[source] = (url, record.content_stream().read(), date)
            else:
                skipped[source] = url
    found = list(read_warc(CRAWL, CRAWL.name))
    pages = {
        page.source_id: (page.url, page.html, page.fetched_at)
        for page in found
        if isinstance(page, RawPage)
    }
    assert pages == expected
    assert {reject.record_id: reject.url for reject in _rejects(found)} == skipped
    assert (len(expected), len(skipped)) == (10, 2)


@pytest.mark.parametrize("gzip", [False, True])
def test_read_warc_keeps_pages_and_says_why_others_are_rejected(tmp_path: Path, gzip: bool) -> None:
    captures = [
        ArchivedRecord("", b"software: x\r\n", "application/warc-fields", "warcinfo"),
        ArchivedRecord("http://a.example/1", b"", type="request"),
        ArchivedRecord("http://a.example/1", PAGE),
        ArchivedRecord("http://a.example/404", PAGE, status="404 Not Found"),
        ArchivedRecord("http://a.example/301", b"", status="301 Moved Permanently"),
        ArchivedRecord("http://a.example/png", b"\x89PNG", "image/png"),
        ArchivedRecord("http://a.example/none", b"  \r\n"),
        ArchivedRecord("http://a.example/x", PAGE, "application/xhtml+xml"),
        ArchivedRecord("http://a.example/r", PAGE, "text/html", "resource"),
        ArchivedRecord("http://a.example/r.txt", b"text", "text/css", "resource"),
        ArchivedRecord("http://a.example/liar", b"\x89PNG\r\n\x1a\n", "text/html"),
        ArchivedRecord("http://a.example/robots.txt", b"User-agent: *", "text/plain"),
        ArchivedRecord("http://a.example/octets", b"\x00\x01\x02", "application/octet-stream"),
        ArchivedRecord("http://a.example/again", b"", "text/html", "revisit"),
        ArchivedRecord("http://a.example/rest", b"more", "text/html", "continuation"),
    ]
    found = _read(tmp_path / "c", warc_bytes(captures, gzip)[0])
    assert _urls(found) == ["http://a.example/1", "http://a.example/x", "http://a.example/r"]
    assert [(reject.url[17:], reject.reason) for reject in _rejects(found)] == [
        ("404", "http_status"),
        ("301", "http_status"),
        ("png", "not_html"),
        ("none", "empty_body"),
        ("r.txt", "not_html"),
        ("liar", "not_html"),
        ("robots.txt", "not_a_page"),
        ("octets", "not_html"),
        ("again", "revisit"),
        ("rest", "segmented"),
    ]
    assert all(reject.record_id.startswith("<urn:uuid:") for reject in _rejects(found))


@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/octet-stream", "application/xml", ""]
)
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf\n", b"<?xml version='1.0'?><!-- x -->"])
def test_read_warc_html_under_a_vague_type_is_html(
    tmp_path: Path, media_type: str, start: bytes
) -> None:
    content, _ = warc_bytes([ArchivedRecord("http://a.example/", start + PAGE, media_type)], True)
    (page,) = _read(tmp_path / "c", content)
    assert isinstance(page, RawPage)
    assert page.html == start + PAGE


def test_read_warc_plain_text_page_is_text_in_its_charset(tmp_path: Path) -> None:
    body = "Fährzeiten: 9 Uhr".encode("cp1252")
    capture = ArchivedRecord("http://a.example/a.txt", body, "text/plain; charset=windows-1252")
    (page,) = _read(tmp_path / "c", warc_bytes([capture], True)[0])
    assert isinstance(page, RawPage)
    assert (page.text, page.html) == ("Fährzeiten: 9 Uhr", None)


@pytest.mark.parametrize("pack", [bz2.compress, zstandard.compress])
def test_read_warc_in_other_compressions_gives_the_same(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    content, ends = warc_bytes(
        [ArchivedRecord(f"http://a.example/{n}", _page(n)) for n in range(4)], False
    )
    expected = _read(tmp_path / "c", content)
    assert len(expected) == 4
    assert _read(tmp_path / "c", pack(content)) == expected
    frames = pack(content[: ends[1]]) + pack(content[ends[1] :])
    assert _read(tmp_path / "c", frames) == expected
    cut = _read(tmp_path / "c", frames[:-30])
    assert cut[0] == expected[0]  # damage costs what is near it
    assert [reject.reason for reject in _rejects(cut)] == ["broken_file"]


@pytest.mark.parametrize("packed_dictionary", [False, True])
def test_read_warc_zstd_with_a_dictionary(tmp_path: Path, packed_dictionary: bool) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", PAGE) for n in range(3)]
    content, ends = warc_bytes(captures, False)
    raw = content[: ends[0]] * 3
    packer = zstandard.ZstdCompressor(dict_data=zstandard.ZstdCompressionDict(raw))
    records = [content[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    held = zstandard.compress(raw) if packed_dictionary else raw
    file = b"\x5d\x2a\x4d\x18" + len(held).to_bytes(4, "little") + held
    found = _read(tmp_path / "c", file + b"".join(map(packer.compress, records)))
    assert _urls(found) == [capture.url for capture in captures]


@pytest.mark.parametrize("gzip", [False, True])
@pytest.mark.parametrize("kept", [3, 40, 100])
def test_read_warc_cut_off_in_a_header_is_a_reject(tmp_path: Path, gzip: bool, kept: int) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", _page(n)) for n in range(3)]
    content, ends = warc_bytes(captures, gzip)
    found = _read(tmp_path / "c", content[: ends[1] + kept])
    assert _urls(found) == ["http://a.example/0", "http://a.example/1"]
    assert _rejects(found)[-1].reason == "broken_file"


def test_read_warc_url_is_canonical(tmp_path: Path) -> None:
    content, _ = warc_bytes(
        [ArchivedRecord("HTTP://A.example:80/x?utm_source=b&id=1#top", PAGE)], True
    )
    assert _urls(_read(tmp_path / "c", content)) == ["http://a.example/x?id=1"]


def test_read_warc_page_has_url_charset_and_date_of_its_record(tmp_path: Path) -> None:
    capture = ArchivedRecord("http://a.example/", PAGE, 'text/html; Charset="ISO-8859-1"')
    (page,) = _read(tmp_path / "c", warc_bytes([capture], True)[0])
    assert isinstance(page, RawPage)
    assert page.charset.lower() == "iso-8859-1"
    assert page.fetched_at == datetime(2023, 3, 11, 9, 0, 4, tzinfo=timezone.utc)
    assert (page.url, page.html, page.text) == ("http://a.example/", PAGE, None)


def test_read_warc_wet_file_gives_its_text(tmp_path: Path) -> None:
    text = "The ferry to St. Orran's Isle leaves at nine. It takes 40 minutes."
    captures = [
        ArchivedRecord("", b"software: x\r\n", "application/warc-fields", "warcinfo"),
        ArchivedRecord("http://a.example/1", text.encode(), "text/plain", "conversion"),
    ]
    (page,) = _read(tmp_path / "c.wet.gz", warc_bytes(captures, True)[0])
    assert isinstance(page, RawPage)
    assert (page.url, page.text, page.html) == ("http://a.example/1", text, None)


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (chunked(PAGE, 7), (("Transfer-Encoding", "chunked"),)),
        (gzip_module.compress(PAGE), (("Content-Encoding", "gzip"),)),
        (
            chunked(gzip_module.compress(PAGE), 11),
            (("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")),
        ),
    ],
)
def test_read_warc_coded_body_is_decoded(
    tmp_path: Path, body: bytes, headers: tuple[tuple[str, str], ...]
) -> None:
    content, _ = warc_bytes([ArchivedRecord("http://a.example/", body, headers=headers)], True)
    (page,) = _read(tmp_path / "c", content)
    assert isinstance(page, RawPage)
    assert page.html == PAGE


@pytest.mark.parametrize(
    "header",
    [
        ("Transfer-Encoding", "chunked"),
        ("Content-Encoding", "gzip"),
        ("Content-Encoding", "br"),
        ("Content-Encoding", "deflate"),
    ],
)
def test_read_warc_body_that_is_not_coded_as_it_says_costs_no_other_record(
    tmp_path: Path, header: tuple[str, str]
) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", _page(n)) for n in range(4)]
    captures[1] = ArchivedRecord("http://a.example/1", _page(1), headers=(header,))
    found = _read(tmp_path / "c", warc_bytes(captures, True)[0])
    assert len(found) == 4
    urls = [url for url in _urls(found) if url != "http://a.example/1"]
    assert urls == ["http://a.example/0", "http://a.example/2", "http://a.example/3"]


@pytest.mark.parametrize("gzip", [False, True])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.97])
def test_read_warc_cut_off_gives_what_came_before_and_one_reject(
    tmp_path: Path, gzip: bool, share: float
) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", _page(n)) for n in range(4)]
    content, ends = warc_bytes(captures, gzip)
    cut = ends[1] + int(share * (ends[2] - ends[1]))
    found = _read(tmp_path / "c", content[:cut])
    assert _urls(found) == ["http://a.example/0", "http://a.example/1"]
    assert [record.html for record in found if isinstance(record, RawPage)] == [_page(0), _page(1)]
    assert [reject.reason for reject in _rejects(found)] == ["broken_file"]


@pytest.mark.parametrize("gzip", [False, True])
def test_read_warc_cut_between_records_is_whole(tmp_path: Path, gzip: bool) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", _page(n)) for n in range(3)]
    content, ends = warc_bytes(captures, gzip)
    found = _read(tmp_path / "c", content[: ends[1]])
    assert _urls(found) == ["http://a.example/0", "http://a.example/1"]
    assert len(found) == 2


@pytest.mark.parametrize("gzip", [False, True])
def test_read_warc_rubbish_between_records_is_not_passed_over_in_silence(
    tmp_path: Path, gzip: bool
) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", _page(n)) for n in range(3)]
    content, ends = warc_bytes(captures, gzip)
    rubbish = b"neither a record nor a member of a gzip file\r\n" * 20
    found = _read(tmp_path / "c", content[: ends[0]] + rubbish + content[ends[0] :])
    assert _urls(found) == [capture.url for capture in captures]
    (reject,) = _rejects(found)
    assert reject.reason == "broken_file"
    assert f"within {len(rubbish)} bytes" in reject.detail


def test_read_warc_bad_header_values_do_not_cost_the_page(tmp_path: Path) -> None:
    content, _ = warc_bytes([ArchivedRecord("http://a.example/q", PAGE)], False)
    content = re.sub(rb"WARC-Date: \S+", b"WARC-Date: someday", content)
    content = content.replace(b"http://a.example/q", b"http://a.example/\xe9")
    content = content.replace(b"charset=utf-8", b"charset=ut\xe9f8")
    (page,) = _read(tmp_path / "c", content)
    assert isinstance(page, RawPage)
    assert page.fetched_at is None
    assert page.html == PAGE
    assert page.url.encode("utf-8").startswith(b"http://a.example/")


def test_read_warc_page_over_the_limit_is_a_reject_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warc_records, "_MAX_BODY_BYTES", 2000)
    monkeypatch.setattr(captures_module, "MAX_PAGE_BYTES", 1000)
    captures = [
        ArchivedRecord("http://a.example/big", _page(1)),
        ArchivedRecord("http://a.example/small", PAGE),
    ]
    found = _read(tmp_path / "c", warc_bytes(captures, True)[0])
    assert [(reject.url, reject.reason) for reject in _rejects(found)] == [
        ("http://a.example/big", "too_large")
    ]
    assert _urls(found) == ["http://a.example/small"]


LONG_URL = "http://a.example/" + "z" * 100_000
HEADERS = tuple((f"X-{number}", "y" * 100) for number in range(400))


def _raw_record(url: str, content: bytes) -> bytes:
    """A response record whose content is no HTTP response that warcio would write."""
    header = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:odd>\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    return header.encode() + content + b"\r\n\r\n"


ODD_RECORDS = {
    "binary": (_raw_record("http://a.example/odd", bytes(range(256)) * 400), "bad_record"),
    "no_blank_line": (
        _raw_record("http://a.example/odd", b"HTTP/1.1 200 OK\r\nA: " + b"x" * 60_000),
        "empty_body",
    ),
    "headers_over_a_megabyte": (
        _raw_record("http://a.example/odd", b"HTTP/1.1 200 OK\r\nA: " + b"x" * 1_100_000),
        "bad_record",
    ),
    "overlong_uri": (_raw_record(LONG_URL, b"HTTP/1.1 200 OK\r\n\r\n" + PAGE), "bad_record"),
}


@pytest.mark.parametrize("gzip", [False, True])
@pytest.mark.parametrize("kind", ODD_RECORDS)
def test_read_warc_odd_record_costs_itself_alone(tmp_path: Path, kind: str, gzip: bool) -> None:
    odd, reason = ODD_RECORDS[kind]
    captures = [ArchivedRecord(f"http://a.example/{n}", _page(n)) for n in range(3)]
    content, ends = warc_bytes(captures, gzip)
    packed = gzip_module.compress(odd) if gzip else odd
    found = _read(tmp_path / "c", content[: ends[0]] + packed + content[ends[0] :])
    assert _urls(found) == [capture.url for capture in captures]
    assert [(reject.reason, reject.record_id) for reject in _rejects(found)] == [
        (reason, "<urn:uuid:odd>")
    ]
    assert isinstance(found[1], Reject)


def test_read_warc_odd_records_in_one_gzip_member_cost_themselves_alone(tmp_path: Path) -> None:
    content, ends = warc_bytes(
        [ArchivedRecord(f"http://a.example/{n}", _page(n)) for n in range(2)], False
    )
    odd = [odd for odd, _ in ODD_RECORDS.values()]
    file = content[: ends[0]] + b"".join(odd) + content[ends[0] :]
    found = _read(tmp_path / "c", gzip_module.compress(file))
    assert _urls(found) == ["http://a.example/0", "http://a.example/1"]
    assert len(found) == 2 + len(odd)


@pytest.mark.parametrize("gzip", [False, True])
def test_read_warc_page_behind_long_http_headers_is_read(tmp_path: Path, gzip: bool) -> None:
    content, _ = warc_bytes([ArchivedRecord("http://a.example/", PAGE, headers=HEADERS)], gzip)
    (page,) = _read(tmp_path / "c", content)
    assert isinstance(page, RawPage)
    assert page.html == PAGE


@pytest.mark.parametrize(
    "odd",
    [
        b"WARC/1.0\r\nWARC-Record-ID: <urn:uuid:odd>\r\nContent-Length: many\r\n\r\n<p>\r\n\r\n",
        b"WARC/1.0\r\nWARC-Record-ID: <urn:uuid:odd>\r\nX: " + b"y" * (1 << 24) + b"\r\n\r\n",
    ],
    ids=["no length", "endless headers"],
)
def test_read_warc_record_without_bounds_costs_what_is_before_the_next(
    tmp_path: Path, odd: bytes
) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", _page(n)) for n in range(3)]
    content, ends = warc_bytes(captures, False)
    found = _read(tmp_path / "c", content[: ends[0]] + odd + content[ends[0] :])
    assert _urls(found) == [capture.url for capture in captures]
    rejects = _rejects(found)
    assert (rejects[0].reason, rejects[0].record_id) == ("bad_record", "<urn:uuid:odd>")
    assert {reject.reason for reject in rejects[1:]} <= {"broken_file"}


@pytest.mark.parametrize("size", [200, 8000, 100_000])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.999])
def test_read_warc_damaged_gzip_member_costs_itself_alone(
    tmp_path: Path, share: float, size: int
) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", _page(n, size)) for n in range(4)]
    content, ends = warc_bytes(captures, True)
    damaged = bytearray(content)
    start = ends[0] + int(share * (ends[1] - ends[0] - 1))
    stop = min(start + 12, ends[1])
    damaged[start:stop] = b"\xff" * (stop - start)
    found = _read(tmp_path / "c", bytes(damaged))
    urls = _urls(found)
    assert [url for url in urls if url != "http://a.example/1"] == [
        captures[number].url for number in (0, 2, 3)
    ]
    rejects = _rejects(found)
    assert [reject.reason for reject in rejects] == ["broken_file"]
    lost = re.search(r"within (\d+) bytes", rejects[0].detail)
    assert lost is not None
    assert 0 < int(lost[1]) <= ends[1] - ends[0]


def test_read_warc_gzip_of_false_beginnings_ends_in_linear_time(tmp_path: Path) -> None:
    content, ends = warc_bytes(
        [ArchivedRecord(f"http://a.example/{n}", PAGE) for n in range(2)], True
    )
    rubbish = b"\x1f\x8b\x08\x00" * 200_000
    found = _read(tmp_path / "c", content[: ends[0]] + rubbish + content[ends[0] :])
    assert _urls(found) == ["http://a.example/0", "http://a.example/1"]
    assert 1 <= len(_rejects(found)) <= 2

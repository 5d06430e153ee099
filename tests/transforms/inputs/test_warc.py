"""Pages of WARC and WET files, in every compression, and what is rejected of them."""

from __future__ import annotations

import bz2
import gzip as gzip_module
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
from tests.transforms.inputs.warc_files import (
    PAGE,
    ArchivedRecord,
    chunked,
    noisy_page,
    read_bytes,
    rejects_in,
    urls_in,
    warc_bytes,
)

CRAWL = SAMPLES / "crawl.warc.gz"


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
    assert {reject.record_id: reject.url for reject in rejects_in(found)} == skipped
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
        ArchivedRecord("http://a.example/r", PAGE, "text/html, text/html; charset=x", "resource"),
        ArchivedRecord("urn:text:http://a.example/r", b"text", "text/plain", "resource"),
        ArchivedRecord("http://a.example/r.txt", b"text", "text/css", "resource"),
        ArchivedRecord("http://a.example/liar", b"\x89PNG\r\n\x1a\n", "text/html"),
        ArchivedRecord("http://a.example/robots.txt", b"User-agent: *", "text/plain"),
        ArchivedRecord("http://a.example/octets", b"\x00\x01\x02", "application/octet-stream"),
        ArchivedRecord("http://a.example/again", b"", "text/html", "revisit"),
        ArchivedRecord("http://a.example/rest", b"more", "text/html", "continuation"),
    ]
    found = read_bytes(tmp_path / "c", warc_bytes(captures, gzip)[0])
    assert urls_in(found) == ["http://a.example/1", "http://a.example/x", "http://a.example/r"]
    assert [(reject.url[17:], reject.reason) for reject in rejects_in(found)] == [
        ("404", "http_status"),
        ("301", "http_status"),
        ("png", "not_html"),
        ("none", "empty_body"),
        (".example/r", "not_a_page"),
        ("r.txt", "not_html"),
        ("liar", "not_html"),
        ("robots.txt", "not_a_page"),
        ("octets", "not_html"),
        ("again", "revisit"),
        ("rest", "segmented"),
    ]
    assert all(reject.record_id.startswith("<urn:uuid:") for reject in rejects_in(found))


@pytest.mark.parametrize("kind", [b"WARC-Type: respones\r\n", b""])
def test_read_warc_record_of_unknown_type_is_a_reject(tmp_path: Path, kind: bytes) -> None:
    content, _ = warc_bytes([ArchivedRecord(f"http://a.example/{n}", PAGE) for n in "12"], False)
    found = read_bytes(tmp_path / "c", content.replace(b"WARC-Type: response\r\n", kind, 1))
    (reject,) = rejects_in(found)
    assert (reject.reason, reject.url) == ("bad_record", "http://a.example/1")
    assert urls_in(found) == ["http://a.example/2"]


@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/octet-stream", "application/xml", ""]
)
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf\n", b"<?xml version='1.0'?><!-- x -->"])
def test_read_warc_html_under_a_vague_type_is_html(
    tmp_path: Path, media_type: str, start: bytes
) -> None:
    content, _ = warc_bytes([ArchivedRecord("http://a.example/", start + PAGE, media_type)], True)
    (page,) = read_bytes(tmp_path / "c", content)
    assert isinstance(page, RawPage)
    assert page.html == start + PAGE


def test_read_warc_plain_text_page_is_text_in_its_charset(tmp_path: Path) -> None:
    body = "Fährzeiten: 9 Uhr".encode("cp1252")
    capture = ArchivedRecord("http://a.example/a.txt", body, "text/plain; charset=windows-1252")
    (page,) = read_bytes(tmp_path / "c", warc_bytes([capture], True)[0])
    assert isinstance(page, RawPage)
    assert (page.text, page.html) == ("Fährzeiten: 9 Uhr", None)


@pytest.mark.parametrize("pack", [bz2.compress, zstandard.compress])
def test_read_warc_in_other_compressions_gives_the_same(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    content, ends = warc_bytes(
        [ArchivedRecord(f"http://a.example/{n}", noisy_page(n)) for n in range(4)], False
    )
    expected = read_bytes(tmp_path / "c", content)
    assert len(expected) == 4
    assert read_bytes(tmp_path / "c", pack(content)) == expected
    frames = pack(content[: ends[1]]) + pack(content[ends[1] :])
    assert read_bytes(tmp_path / "c", frames) == expected
    cut = read_bytes(tmp_path / "c", frames[:-30])
    assert cut[0] == expected[0]  # damage costs what is near it
    assert [reject.reason for reject in rejects_in(cut)] == ["broken_file"]


@pytest.mark.parametrize("packed_dictionary", [False, True])
def test_read_warc_zstd_with_a_dictionary(tmp_path: Path, packed_dictionary: bool) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", PAGE) for n in range(3)]
    content, ends = warc_bytes(captures, False)
    raw = content[: ends[0]] * 3
    packer = zstandard.ZstdCompressor(dict_data=zstandard.ZstdCompressionDict(raw))
    records = [content[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    held = zstandard.compress(raw) if packed_dictionary else raw
    file = b"\x5d\x2a\x4d\x18" + len(held).to_bytes(4, "little") + held
    found = read_bytes(tmp_path / "c", file + b"".join(map(packer.compress, records)))
    assert urls_in(found) == [capture.url for capture in captures]


def test_read_warc_url_is_canonical(tmp_path: Path) -> None:
    content, _ = warc_bytes(
        [ArchivedRecord("HTTP://A.example:80/x?utm_source=b&id=1#top", PAGE)], True
    )
    assert urls_in(read_bytes(tmp_path / "c", content)) == ["http://a.example/x?id=1"]


def test_read_warc_page_has_url_charset_and_date_of_its_record(tmp_path: Path) -> None:
    capture = ArchivedRecord("http://a.example/", PAGE, 'text/html; Charset="ISO-8859-1"')
    (page,) = read_bytes(tmp_path / "c", warc_bytes([capture], True)[0])
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
    (page,) = read_bytes(tmp_path / "c.wet.gz", warc_bytes(captures, True)[0])
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
    (page,) = read_bytes(tmp_path / "c", content)
    assert isinstance(page, RawPage)
    assert page.html == PAGE


def test_read_warc_body_whose_coding_cannot_be_undone_is_no_page(tmp_path: Path) -> None:
    body = zstandard.compress(noisy_page(1))[99:]
    capture = ArchivedRecord("http://a.example/", body, headers=(("Content-Encoding", "br"),))
    (reject,) = read_bytes(tmp_path / "c", warc_bytes([capture], True)[0])
    assert isinstance(reject, Reject)
    assert (reject.reason, reject.detail) == ("not_html", "text/html, but not as coded (br)")


@pytest.mark.parametrize(
    "interim",
    [
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
        b"HTTP/1.0 200 Connection established\r\n\r\n",
    ],
)
def test_read_warc_interim_responses_are_passed_over(tmp_path: Path, interim: bytes) -> None:
    content, _ = warc_bytes([ArchivedRecord("http://a.example/", PAGE)], False)
    content = content.replace(b"HTTP/1.1 200", interim + b"HTTP/1.1 200")
    size = re.search(rb"Content-Length: (\d+)", content)
    assert size is not None
    content = content.replace(size[0], b"Content-Length: %d" % (int(size[1]) + len(interim)))
    (page,) = read_bytes(tmp_path / "c", content)
    assert isinstance(page, RawPage)
    assert page.html == PAGE


def test_read_warc_page_over_the_limit_is_a_reject_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warc_records, "_MAX_BODY_BYTES", 2000)
    monkeypatch.setattr(captures_module, "MAX_PAGE_BYTES", 1000)
    captures = [
        ArchivedRecord("http://a.example/big", noisy_page(1)),
        ArchivedRecord("http://a.example/small", PAGE),
    ]
    found = read_bytes(tmp_path / "c", warc_bytes(captures, True)[0])
    assert [(reject.url, reject.reason) for reject in rejects_in(found)] == [
        ("http://a.example/big", "too_large")
    ]
    assert urls_in(found) == ["http://a.example/small"]

"""WARC files that are cut off, damaged or odd: only what is near the damage is lost."""

from __future__ import annotations

import gzip as gzip_module
import io
import re
import time
import tracemalloc
from pathlib import Path

import pytest

from factmill.schemas.records import Reject
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.inputs.warc_records import WarcRecord, read_records
from tests.transforms.inputs.warc_files import (
    PAGE,
    ArchivedRecord,
    noisy_page,
    read_bytes,
    rejects_in,
    urls_in,
    warc_bytes,
)


@pytest.mark.parametrize("gzip", [False, True])
@pytest.mark.parametrize("kept", [3, 40, 100])
def test_read_warc_cut_off_in_a_header_is_a_reject(tmp_path: Path, gzip: bool, kept: int) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", noisy_page(n)) for n in range(3)]
    content, ends = warc_bytes(captures, gzip)
    found = read_bytes(tmp_path / "c", content[: ends[1] + kept])
    assert urls_in(found) == ["http://a.example/0", "http://a.example/1"]
    assert rejects_in(found)[-1].reason == "broken_file"


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
    captures = [ArchivedRecord(f"http://a.example/{n}", noisy_page(n)) for n in range(4)]
    captures[1] = ArchivedRecord("http://a.example/1", noisy_page(1), headers=(header,))
    found = read_bytes(tmp_path / "c", warc_bytes(captures, True)[0])
    assert len(found) == 4
    urls = [url for url in urls_in(found) if url != "http://a.example/1"]
    assert urls == ["http://a.example/0", "http://a.example/2", "http://a.example/3"]


@pytest.mark.parametrize("gzip", [False, True])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.97])
def test_read_warc_cut_off_gives_what_came_before_and_one_reject(
    tmp_path: Path, gzip: bool, share: float
) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", noisy_page(n)) for n in range(4)]
    content, ends = warc_bytes(captures, gzip)
    cut = ends[1] + int(share * (ends[2] - ends[1]))
    found = read_bytes(tmp_path / "c", content[:cut])
    assert urls_in(found) == ["http://a.example/0", "http://a.example/1"]
    assert [record.html for record in found if isinstance(record, RawPage)] == [
        noisy_page(0),
        noisy_page(1),
    ]
    assert [reject.reason for reject in rejects_in(found)] == ["broken_file"]


@pytest.mark.parametrize("gzip", [False, True])
def test_read_warc_cut_between_records_is_whole(tmp_path: Path, gzip: bool) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", noisy_page(n)) for n in range(3)]
    content, ends = warc_bytes(captures, gzip)
    found = read_bytes(tmp_path / "c", content[: ends[1]])
    assert urls_in(found) == ["http://a.example/0", "http://a.example/1"]
    assert len(found) == 2


@pytest.mark.parametrize("gzip", [False, True])
def test_read_warc_rubbish_between_records_is_not_passed_over_in_silence(
    tmp_path: Path, gzip: bool
) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", noisy_page(n)) for n in range(3)]
    content, ends = warc_bytes(captures, gzip)
    rubbish = b"neither a record nor a member of a gzip file\r\n" * 20
    found = read_bytes(tmp_path / "c", content[: ends[0]] + rubbish + content[ends[0] :])
    assert urls_in(found) == [capture.url for capture in captures]
    (reject,) = rejects_in(found)
    assert reject.reason == "broken_file"
    assert f"within {len(rubbish)} bytes" in reject.detail


def test_read_warc_bad_header_values_do_not_cost_the_page(tmp_path: Path) -> None:
    content, _ = warc_bytes([ArchivedRecord("http://a.example/q", PAGE)], False)
    content = re.sub(rb"WARC-Date: \S+", b"WARC-Date: someday", content)
    content = content.replace(b"http://a.example/q", b"http://a.example/\xe9")
    content = content.replace(b"charset=utf-8", b"charset=ut\xe9f8")
    (page,) = read_bytes(tmp_path / "c", content)
    assert isinstance(page, RawPage)
    assert page.fetched_at is None
    assert page.html == PAGE
    assert page.url.encode("utf-8").startswith(b"http://a.example/")


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
    captures = [ArchivedRecord(f"http://a.example/{n}", noisy_page(n)) for n in range(3)]
    content, ends = warc_bytes(captures, gzip)
    packed = gzip_module.compress(odd) if gzip else odd
    found = read_bytes(tmp_path / "c", content[: ends[0]] + packed + content[ends[0] :])
    assert urls_in(found) == [capture.url for capture in captures]
    assert [(reject.reason, reject.record_id) for reject in rejects_in(found)] == [
        (reason, "<urn:uuid:odd>")
    ]
    assert isinstance(found[1], Reject)


def test_read_warc_odd_records_in_one_gzip_member_cost_themselves_alone(tmp_path: Path) -> None:
    content, ends = warc_bytes(
        [ArchivedRecord(f"http://a.example/{n}", noisy_page(n)) for n in range(2)], False
    )
    odd = [odd for odd, _ in ODD_RECORDS.values()]
    file = content[: ends[0]] + b"".join(odd) + content[ends[0] :]
    found = read_bytes(tmp_path / "c", gzip_module.compress(file))
    assert urls_in(found) == ["http://a.example/0", "http://a.example/1"]
    assert len(found) == 2 + len(odd)


@pytest.mark.parametrize("gzip", [False, True])
def test_read_warc_page_behind_long_http_headers_is_read(tmp_path: Path, gzip: bool) -> None:
    content, _ = warc_bytes([ArchivedRecord("http://a.example/", PAGE, headers=HEADERS)], gzip)
    (page,) = read_bytes(tmp_path / "c", content)
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
    captures = [ArchivedRecord(f"http://a.example/{n}", noisy_page(n)) for n in range(3)]
    content, ends = warc_bytes(captures, False)
    found = read_bytes(tmp_path / "c", content[: ends[0]] + odd + content[ends[0] :])
    assert urls_in(found) == [capture.url for capture in captures]
    rejects = rejects_in(found)
    assert (rejects[0].reason, rejects[0].record_id) == ("bad_record", "<urn:uuid:odd>")
    assert {reject.reason for reject in rejects[1:]} <= {"broken_file"}


@pytest.mark.parametrize("gzip", [False, True])
@pytest.mark.parametrize("length", [3000, 9_000_000])
def test_read_warc_length_that_is_too_large_costs_no_other_record(
    tmp_path: Path, length: int, gzip: bool
) -> None:
    odd = _raw_record(
        "http://a.example/odd", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE
    )
    odd = re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % length, odd)
    captures = [ArchivedRecord(f"http://a.example/{n}", noisy_page(n)) for n in range(3)]
    content, ends = warc_bytes(captures, gzip)
    packed = gzip_module.compress(odd) if gzip else odd
    found = read_bytes(tmp_path / "c", content[: ends[0]] + packed + content[ends[0] :])
    assert [page.html for page in found if isinstance(page, RawPage)] == [
        noisy_page(0), PAGE, noisy_page(1), noisy_page(2),
    ]  # fmt: skip
    assert len(found) == 4


@pytest.mark.parametrize("size", [200, 8000, 100_000])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.999])
def test_read_warc_damaged_gzip_member_costs_itself_alone(
    tmp_path: Path, share: float, size: int
) -> None:
    captures = [ArchivedRecord(f"http://a.example/{n}", noisy_page(n, size)) for n in range(4)]
    content, ends = warc_bytes(captures, True)
    damaged = bytearray(content)
    start = ends[0] + int(share * (ends[1] - ends[0] - 1))
    stop = min(start + 12, ends[1])
    damaged[start:stop] = b"\xff" * (stop - start)
    found = read_bytes(tmp_path / "c", bytes(damaged))
    urls = urls_in(found)
    assert [url for url in urls if url != "http://a.example/1"] == [
        captures[number].url for number in (0, 2, 3)
    ]
    rejects = rejects_in(found)
    assert [reject.reason for reject in rejects] == ["broken_file"]
    lost = re.search(r"within (\d+) bytes", rejects[0].detail)
    assert lost is not None
    assert 0 < int(lost[1]) <= ends[1] - ends[0]


def test_read_warc_records_without_an_id_are_named_by_their_numbers(tmp_path: Path) -> None:
    request = ArchivedRecord("http://a.example/", b"", type="request")
    captures = [request, *(ArchivedRecord(f"http://a.example/{n}", PAGE) for n in range(3))]
    content, ends = warc_bytes(captures, False)
    odd = content[ends[0] : ends[1]].replace(b"Content-Length", b"Content-Size", 1)
    content = content[: ends[0]] + odd + content[ends[1] :]
    found = read_bytes(tmp_path / "c", re.sub(rb"WARC-Record-ID: .*\r\n", b"", content))
    assert [reject.record_id for reject in rejects_in(found)] == ["c.warc:1", "c.warc"]
    pages = [page.source_id for page in found if isinstance(page, RawPage)]
    assert pages == ["c.warc:2", "c.warc:3"]


def test_read_records_many_lengths_that_are_too_large_take_little_memory() -> None:
    odd = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 1000000\r\n\r\nx\r\n\r\n"
    tracemalloc.start()
    found = list(read_records(io.BytesIO(odd * 60 + b"y" * 1_000_000)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [record.body for record in found[:59] if isinstance(record, WarcRecord)] == [b"x"] * 59
    assert peak < 15_000_000


def test_read_records_many_blank_lines_take_linear_time() -> None:
    record = b"WARC/1.0\r\nContent-Length: 1\r\n\r\nx"
    began = time.process_time()
    found = list(read_records(io.BytesIO(record + b"\n" * 700_000 + record)))
    assert time.process_time() - began < 1  # twice that if each copied those before it
    assert found == [WarcRecord({"content-length": "1"}, b"x")] * 2


def test_read_warc_gzip_of_false_beginnings_ends_in_linear_time(tmp_path: Path) -> None:
    content, ends = warc_bytes(
        [ArchivedRecord(f"http://a.example/{n}", PAGE) for n in range(2)], True
    )
    rubbish = b"\x1f\x8b\x08\x00" * 200_000
    found = read_bytes(tmp_path / "c", content[: ends[0]] + rubbish + content[ends[0] :])
    assert urls_in(found) == ["http://a.example/0", "http://a.example/1"]
    assert 1 <= len(rejects_in(found)) <= 2

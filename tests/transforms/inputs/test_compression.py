from __future__ import annotations

import bz2
import gzip
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from factmill.transforms.inputs.compression import file_kind, open_bytes

PAGE = b"<html><body><p>A page of the harbour.</p></body></html>"


@pytest.mark.parametrize("name", ["page.html", "page.html.gz", "page.bz2", "page"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_open_bytes_whatever_the_extension_gives_the_content(
    tmp_path: Path, name: str, pack: type[bytes]
) -> None:
    path = tmp_path / name
    path.write_bytes(pack(PAGE))
    with open_bytes(path) as stream:
        assert stream.read() == PAGE


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"WARC/1.0\r\nWARC-Type: warcinfo\r\n", "warc"),
        (b"\xef\xbb\xbf\r\n<!doctype html><p>x", "html"),
        (b'{"text": "x"}\n', "jsonl"),
        (b'\xef\xbb\xbf{"text": "x"}\n', "jsonl"),
        (b"\n\n  <p>x", "html"),
        (b"%PDF-1.7 and so on", "unknown"),
        (b"", "unknown"),
    ],
)
@pytest.mark.parametrize("name", ["data.bin", "data.gz", "data.parquet"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_kind_of_lying_extension_follows_the_content(
    tmp_path: Path, content: bytes, kind: str, name: str, pack: type[bytes]
) -> None:
    path = tmp_path / name
    path.write_bytes(pack(content))
    assert file_kind(path) == kind


def test_kind_of_parquet_named_html_is_parquet(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    pq.write_table(pa.table({"text": ["x"]}), path)
    assert file_kind(path) == "parquet"


@pytest.mark.parametrize("name", ["p.html", "P.HTM", "p.xhtml.gz", "p.shtml.bz2"])
@pytest.mark.parametrize("start", [b"", b"{% extends 'base.html' %} ", b'{"text": "x"}', b"[{"])
def test_kind_of_text_without_a_tag_named_html_is_html(
    tmp_path: Path, name: str, start: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(start + b"Just words, no tag at all.")
    assert file_kind(path) == "html"


@pytest.mark.parametrize("length", [2_000_000, 3000, 1000])
def test_kind_of_truncated_gzip_follows_what_can_be_read(tmp_path: Path, length: int) -> None:
    noise = random.Random(5).randbytes(length).hex().encode()
    packed = gzip.compress(b"WARC/1.0\r\n" + noise)
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(packed[: len(packed) // 2])
    assert file_kind(path) == "warc"

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from factmill.schemas.records import Reject
from factmill.transforms.inputs.discovery import find_inputs, plan_splits
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.inputs.read_split import read_split
from tests.conftest import SAMPLES


def _read(folder: Path) -> list[RawPage | Reject]:
    splits = plan_splits(find_inputs([str(folder)]))
    return [record for split in splits for record in read_split(split)]


def test_read_split_every_kind_in_one_folder_gives_each_record_once(tmp_path: Path) -> None:
    (tmp_path / "one.html").write_text("<p>one")
    (tmp_path / "two.jsonl").write_text('{"id": "two", "text": "x"}\n{"id": "three", "text": "x"}')
    pq.write_table(pa.table({"id": ["four"], "text": ["x"]}), tmp_path / "four.parquet")
    (tmp_path / "five.warc.gz").write_bytes((SAMPLES / "crawl.warc.gz").read_bytes())
    (tmp_path / "six.pdf").write_bytes(b"%PDF-1.4")
    found = _read(tmp_path)
    pages = [record for record in found if isinstance(record, RawPage)]
    rejects = [record for record in found if isinstance(record, Reject)]
    assert len(found) == 5 + 12
    own = {page.source_id for page in pages if not page.source_id.startswith("<urn:")}
    assert own == {"one.html", "two", "three", "four"}
    assert sorted(reject.reason for reject in rejects) == [
        "http_status", "not_html", "unknown_format",
    ]  # fmt: skip


def test_read_split_samples_html_uses_paths_as_ids() -> None:
    found = _read(SAMPLES / "html")
    assert len(found) == 19
    assert "town/bridges.html" in {page.source_id for page in found if isinstance(page, RawPage)}


@pytest.mark.parametrize("kept", [30, 60])
def test_read_split_gzipped_page_cut_off_is_a_broken_file(tmp_path: Path, kept: int) -> None:
    packed = gzip.compress(b"<html><body><p>A page whose end never arrived, as it happens.</p>")
    (tmp_path / "p.html.gz").write_bytes(packed[:kept])
    (found,) = _read(tmp_path)
    assert isinstance(found, Reject)
    assert found.reason == "broken_file"


def test_read_split_json_lines_whose_first_line_is_broken_gives_the_others(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('oops\n{"id": "a", "text": "x"}\n')
    found = _read(tmp_path)
    assert [type(record) for record in found] == [Reject, RawPage]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.zip", b"PK\x03\x04" + b"\0" * 50, "unknown_format"),
        ("a.html", b"%PDF-1.7\n", "unknown_format"),
        ("a.txt", b"\x89PNG\r\n\x1a\n", "unknown_format"),
        ("a.tar.gz", gzip.compress(b"a.html".ljust(257, b"\0") + b"ustar\x0000"), "unknown_format"),
        ("a.bin", b"some words", "unknown_format"),
        ("a.bin", b"", "empty_body"),
        ("a.md", b" \n", "empty_body"),
        ("a.txt", b"", "empty_body"),
        ("a.md.gz", gzip.compress(b"# A" * 99)[:-9], "broken_file"),
    ],
)
def test_read_split_file_without_a_page_is_one_reject(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    (tmp_path / name).write_bytes(content)
    (found,) = _read(tmp_path)
    assert isinstance(found, Reject)
    assert (found.record_id, found.reason) == (name, reason)


def test_read_split_text_and_markdown_have_what_the_sitemap_says(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Plain {words}.")
    (tmp_path / "b.md").write_text("---\ntitle: B\nurl: http://x.example/\n---\n{% raw %}")
    (tmp_path / "c.markdown").write_text("---\nurl: http://x.example/C#c\n---\nC")
    (tmp_path / "sitemap.txt").write_text("http://a.example/a\nhttp://a.example/b/\n")
    pages = {page.source_id: page for page in _read(tmp_path) if isinstance(page, RawPage)}
    assert {name: page.url for name, page in pages.items()} == {
        "a.txt": "http://a.example/a",
        "b.md": "http://a.example/b/",
        "c.markdown": "http://x.example/C",
    }
    assert pages["a.txt"].text == "Plain {words}."
    assert pages["b.md"].title == "B"


def test_read_split_file_that_became_something_else_is_a_reject(tmp_path: Path) -> None:
    names = ("a.html", "b.jsonl", "c.warc", "d.txt", "e.arc", "f.xml", "g.parquet", "h.json")
    starts = ("<p>", "{}", "WARC/1.0", "x", "filedesc://", "<mediawiki>", "PAR1", "[]")
    for name, start in zip(names, starts, strict=True):
        (tmp_path / name).write_text(start)
    splits = plan_splits(find_inputs([str(tmp_path)]))
    assert "unknown" not in {split.kind for split in splits}
    for make in (lambda path: path.mkdir(), os.mkfifo, str):
        for name in names:
            path = tmp_path / name
            path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
            make(path)
        found = [record for split in splits for record in read_split(split)]
        assert [getattr(record, "reason", "") for record in found] == ["broken_file"] * len(names)

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from factmill.schemas.records import Reject
from factmill.transforms.inputs import page_files as folders
from factmill.transforms.inputs.page_files import read_page_file
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.inputs.sitemaps import Location

PAGE = "<p>Ein Fährmann".encode("cp1252")


@pytest.mark.parametrize("packed", [False, True])
def test_read_page_file_html_gives_its_bytes_under_its_name(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(gzip.compress(PAGE) if packed else PAGE)
    assert read_page_file(path, "sub/page.html", "html", Location()) == RawPage(
        "sub/page.html", html=PAGE
    )


@pytest.mark.parametrize("packed", [False, True])
def test_read_page_file_of_several_megabytes_is_whole(tmp_path: Path, packed: bool) -> None:
    page = b"<p>" + b"".join(b"%d lamps " % number for number in range(300_000))
    (tmp_path / "p").write_bytes(gzip.compress(page, 1) if packed else page)
    found = read_page_file(tmp_path / "p", "p", "html", Location())
    assert isinstance(found, RawPage)
    assert found.html == page


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty_body"),
        (b" \r\n\t", "empty_body"),
        (gzip.compress(b""), "empty_body"),
        (gzip.compress(PAGE * 9)[:-9], "broken_file"),
        (gzip.compress(PAGE * 9)[:20] + b"\0" * 30, "broken_file"),
        (b"BZh9 is not what follows", "broken_file"),
    ],
)
def test_read_page_file_html_without_content_is_a_reject(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    (tmp_path / "p").write_bytes(content)
    found = read_page_file(tmp_path / "p", "p", "html", Location())
    assert isinstance(found, Reject)
    assert (found.reason, found.record_id) == (reason, "p")


def test_read_page_file_html_that_vanished_is_a_reject(tmp_path: Path) -> None:
    found = read_page_file(tmp_path / "gone.html", "gone.html", "html", Location())
    assert isinstance(found, Reject)
    assert found.reason == "broken_file"


def test_read_page_file_html_over_the_limit_is_a_reject_even_when_packed_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "MAX_PAGE_BYTES", 1000)
    for size, kind in ((1000, RawPage), (1001, Reject)):
        (tmp_path / "p").write_bytes(gzip.compress(b"x" * size))
        found = read_page_file(tmp_path / "p", "p", "html", Location())
        assert isinstance(found, kind)
        assert isinstance(found, RawPage) or found.reason == "too_large"

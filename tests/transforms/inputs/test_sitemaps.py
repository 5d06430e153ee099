from __future__ import annotations

import gzip
from datetime import datetime, timezone
from pathlib import Path

import pytest

from factmill.transforms.inputs.compression import file_kind
from factmill.transforms.inputs.sitemaps import locate, read_sitemap

SITE = "http://a.example/"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def _xml(*paths: str, lastmod: str = "") -> str:
    modified = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    urls = "".join(f"<url><loc>\n{SITE}{path} </loc>{modified}</url>" for path in paths)
    return f'<?xml version="1.0"?><!-- made --><urlset {NAMESPACE}>{urls}</urlset>'


def _located(folder: Path, sitemaps: dict[str, str], names: list[str]) -> dict[str, str]:
    for name, content in sitemaps.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        raw = content.encode()
        (folder / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        assert file_kind(folder / name) == "sitemap"
    found = locate(
        [str(folder / name) for name in sitemaps], [str(folder / name) for name in names]
    )
    return {str(Path(path).relative_to(folder)): location.url for path, location in found.items()}


@pytest.mark.parametrize(
    ("location", "name"),
    [
        ("a/b.html", "a/b.html"),
        ("a/b", "a/b.html"),
        ("a/b", "a/b.html.gz"),
        ("a/b.html", "a/b.md"),
        ("a/b/", "a/b/index.html"),
        ("a/b", "a/b/index.md"),
        ("a/b/", "a/b.md"),
        ("", "index.html"),
        ("caf%C3%A9", "café.md"),
        ("a?page=2", "a?page=2.html"),
    ],
)
@pytest.mark.parametrize("folder", ["", "a.example/"])
def test_locate_finds_the_file_of_a_location(
    tmp_path: Path, location: str, name: str, folder: str
) -> None:
    others = [f"{folder}x/y.html", f"{folder}b.html"]
    found = _located(tmp_path, {"sitemap.xml.gz": _xml(location, "z")}, [folder + name, *others])
    assert found == {folder + name: SITE + location}


def test_locate_two_files_never_share_a_location(tmp_path: Path) -> None:
    names = ["a.md", "a/index.md", "a.html"]
    assert _located(tmp_path, {"sitemap.xml": _xml("a", "a/")}, names) == {
        "a.html": SITE + "a",
        "a/index.md": SITE + "a/",
    }


def test_locate_folder_that_holds_a_part_of_a_site(tmp_path: Path) -> None:
    found = _located(tmp_path, {"sitemap.xml": _xml("docs/a", "docs/b/c")}, ["a.md", "b/c.md"])
    assert found == {"a.md": SITE + "docs/a", "b/c.md": SITE + "docs/b/c"}


def test_locate_lines_of_text_and_the_nearest_sitemap_win(tmp_path: Path) -> None:
    sitemaps = {"sitemap.txt": f"{SITE}s/a\n{SITE}b\nno url\n", "s/sitemap.xml": _xml("near/a")}
    found = _located(tmp_path, sitemaps, ["s/a.html", "b.html"])
    assert found == {"s/a.html": SITE + "near/a", "b.html": SITE + "b"}


def test_locate_location_has_its_date(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(_xml("a", lastmod="2024-05-06"))
    (found,) = locate([str(tmp_path / "sitemap.xml")], [str(tmp_path / "a.html")]).values()
    assert found.modified == datetime(2024, 5, 6, tzinfo=timezone.utc)


@pytest.mark.parametrize("path", ["../a", "..%2fa", "%2e%2e/a", "//a", "%2fetc%2fpasswd", "s/%00"])
def test_locate_location_cannot_leave_the_folder(tmp_path: Path, path: str) -> None:
    (tmp_path / "a.html").write_text("x")
    assert _located(tmp_path, {"s/sitemap.xml": _xml(path, "b/c")}, ["a.html"]) == {}


def test_locate_absolute_path_is_looked_for_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    sitemap, page = tmp_path / "site/sitemap.xml", tmp_path / "other.html"
    sitemap.write_text(_xml(str(page)))
    assert locate([str(sitemap)], [str(page)]) == {}


def test_read_sitemap_whole_gives_nothing_and_broken_is_a_reject(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_text(_xml("a", "b"))
    assert list(read_sitemap(path, "s")) == []
    path.write_text(_xml("a", "b")[:-20])
    (reject,) = read_sitemap(path, "s")
    assert (reject.reason, reject.record_id) == ("broken_file", "s")
    assert set(locate([str(path)], [str(tmp_path / "a.md")])) == {str(tmp_path / "a.md")}


def test_read_sitemap_index_gives_nothing(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_text(f"<sitemapindex {NAMESPACE}><sitemap><loc>x</loc></sitemap></sitemapindex>")
    assert file_kind(path) == "sitemap"
    assert list(read_sitemap(path, "s")) == []

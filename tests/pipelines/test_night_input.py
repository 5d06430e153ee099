"""Nights whose input is cut, empty, gone or there twice: published is only what should be."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from factmill.pipelines.cli.main import main
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import read_manifest
from tests.transforms.inputs.warc_files import ArchivedRecord, warc_bytes

PAGES = 9
TOWNS = "Aldon Barrow Corvel Dunmere Eskham Farlow Gatwen Halden Irvale Jorby Kelsey".split()
# Pages of one shape with other facts.
FACTS = ("harbour", "viaduct", "granary", "foundry", "quarry", "chapel", "theatre", "arsenal")


def _capture(number: int) -> ArchivedRecord:
    town = TOWNS[number]
    sentences = (
        f"The {fact} of {town} was built in {1700 + 11 * number + 7 * at} by {town}'s {fact} guild."
        for at, fact in enumerate(FACTS)
    )
    body = "".join(f"<p>{sentence}</p>" for sentence in sentences)
    html = f"<html><head><title>{town}</title></head><body><article>{body}</article></body></html>"
    return ArchivedRecord(f"https://towns.example/{town.lower()}", html.encode())


def _archive(path: Path, towns: range = range(PAGES)) -> None:
    path.write_bytes(warc_bytes([_capture(number) for number in towns], gzip=True)[0])


@dataclass(frozen=True)
class CrawlNight:
    """A store, and the archives of a crawl in one folder."""

    store: Store
    crawl: Path
    encoder: str

    @property
    def archive(self) -> Path:
        return self.crawl / "towns.warc.gz"

    def build(self, *options: str) -> int:
        return main([
            "build", str(self.store.root), "--input", str(self.crawl), "--encoder", self.encoder,
            "--shards", "1", "--jobs", "1", "--code-bits", "64", *options,
        ])  # fmt: skip

    def pages(self, build: BuildDir | None = None) -> int:
        return read_manifest(build or self.store.published()).counts["clean"].records_out


@pytest.fixture(scope="module")
def first_night(tmp_path_factory: pytest.TempPathFactory, small_encoder: str) -> CrawlNight:
    """Nine pages, published."""
    root = tmp_path_factory.mktemp("first-night")
    night = CrawlNight(Store(root / "store"), root / "crawl", small_encoder)
    night.crawl.mkdir()
    _archive(night.archive)
    assert night.build() == 0
    assert night.pages() == PAGES
    return night


@pytest.fixture
def night(
    first_night: CrawlNight, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> CrawlNight:
    """The store after the first night, and a copy of its crawl at the same path."""
    shutil.copytree(first_night.store.root, tmp_path / "store")
    for path in first_night.crawl.iterdir():
        path.unlink()
    _archive(first_night.archive)
    capsys.readouterr()
    return CrawlNight(Store(tmp_path / "store"), first_night.crawl, first_night.encoder)


def test_night_with_a_truncated_archive_is_kept_until_somebody_publishes_it(
    night: CrawlNight, capsys: pytest.CaptureFixture[str]
) -> None:
    good = night.store.published()
    night.archive.write_bytes(night.archive.read_bytes()[:1200])
    assert night.build() == 3
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"factmill: {night.archive} is broken: ")
    assert f", {PAGES} before" in said
    assert night.store.published() == good
    (_, kept) = night.store.builds()
    assert f"factmill rollback {night.store.root} --to {kept.build_id}" in said

    # Somebody says that this is all there is.
    assert night.build("--max-page-drop", "1") == 0
    assert f"publish: {night.archive} is broken" in capsys.readouterr().err
    assert night.store.published() == kept
    assert 0 < night.pages() < PAGES
    # Later nights are judged beside it.
    _archive(night.archive)
    assert night.build() == 0
    assert night.pages() == PAGES


def test_night_with_an_empty_archive_is_kept(
    night: CrawlNight, capsys: pytest.CaptureFixture[str]
) -> None:
    small = night.crawl / "villages.warc.gz"
    _archive(small, range(PAGES, PAGES + 1))
    assert night.build() == 0
    good = night.store.published()
    # A tenth of the pages: the share alone would let it pass.
    small.write_bytes(b"")
    assert night.build() == 3
    assert f"{small} is empty: 0 pages, 1 before" in capsys.readouterr().err
    assert night.store.published() == good


def test_night_with_a_doubled_archive_has_every_page_once(night: CrawlNight) -> None:
    copy = night.crawl / "copy.warc.gz"
    shutil.copy(night.archive, copy)
    before = night.store.published()
    assert night.build() == 0
    assert night.pages() == PAGES
    copy.unlink()
    night.archive.write_bytes(night.archive.read_bytes() * 2)
    assert night.build() == 0
    assert night.pages() == PAGES
    assert night.pages(before) == PAGES


def test_night_with_fewer_pages_of_whole_archives_is_judged_by_the_share(
    night: CrawlNight, capsys: pytest.CaptureFixture[str]
) -> None:
    _archive(night.archive, range(PAGES - 2))
    assert night.build("--max-page-drop", "0.3") == 0
    _archive(night.archive, range(PAGES - 5))
    assert night.build("--max-page-drop", "0.3") == 3
    assert "4 pages in all, 7 before" in capsys.readouterr().err


def test_night_of_a_partial_crawl_keeps_what_it_does_not_have(night: CrawlNight) -> None:
    night.archive.unlink()
    _archive(night.crawl / "villages.warc.gz", range(PAGES, PAGES + 2))
    assert night.build("--keep-missing") == 0
    assert night.pages() == PAGES + 2


def test_first_night_with_a_broken_archive_warns(
    night: CrawlNight, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    night.archive.write_bytes(night.archive.read_bytes()[:1200])
    first = CrawlNight(Store(tmp_path / "new"), night.crawl, night.encoder)
    assert first.build() == 0
    assert f"publish: {night.archive} is broken: " in capsys.readouterr().err

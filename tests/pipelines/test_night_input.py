"""Nights whose input is cut, empty, gone or there twice: published is only what should be."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

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
    # Nothing is new, though the broken archive was read again.
    builds = night.store.builds()
    assert night.build() == 0
    assert night.store.builds() == builds
    assert capsys.readouterr().out.startswith("nothing new; ")
    # Later nights are judged beside it.
    _archive(night.archive)
    assert night.build() == 0
    assert night.pages() == PAGES


def test_night_of_cut_empty_vanished_and_doubled_archives_publishes_only_what_should_be(
    night: CrawlNight, capsys: pytest.CaptureFixture[str]
) -> None:
    night.archive.unlink()
    cut, emptied, gone, doubled = (
        night.crawl / f"{name}.warc.gz" for name in ("cut", "emptied", "gone", "doubled")
    )
    towns = {cut: range(4), emptied: range(4, 6), gone: range(6, 8), doubled: range(8, 11)}
    for path, numbers in towns.items():
        _archive(path, numbers)
    assert night.build() == 0, "the pages came in other files"
    good = night.store.published()
    assert night.pages() == len(TOWNS)

    # In the middle of the third of its four members.
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size * 5 // 8])
    emptied.write_bytes(b"")
    gone.unlink()
    doubled.write_bytes(doubled.read_bytes() * 2)
    assert night.build() == 3
    assert night.store.published() == good
    kept = night.store.builds()[-1]
    report = _report_of(kept)
    verdict = report.select(".verdict.kept")[0].get_text()
    said = capsys.readouterr().err.splitlines()[-1]
    for line in (
        f"{cut} is broken: 2 pages, 4 before",
        f"{emptied} is empty: 0 pages, 2 before",
        f"{gone} is gone: 2 pages before",
    ):
        assert line in said
        assert line in verdict
    assert f"factmill rollback {night.store.root} --to {kept.build_id}" in report.get_text()
    assert said.endswith(f"(report: {_report_file(kept)})")
    lost = [[cell.get_text() for cell in row.find_all("td")] for row in report.find_all("tr")]
    assert [row for row in lost if row and row[0].endswith(".warc.gz")] == [
        [str(cut), "broken", "4", "2"],
        [str(emptied), "empty", "2", "0"],
        [str(gone), "gone", "2", "0"],
    ]

    # All came back, and one of them is there twice.
    for path in (cut, emptied, gone):
        _archive(path, towns[path])
    assert night.build() == 0
    published = night.store.published()
    verdict = _report_of(published).select(".verdict")[0].get_text()
    assert "Published. 11 pages (as before)" in verdict
    assert f"report: {_report_file(published)}" in capsys.readouterr().out
    assert main(["diff", str(night.store.root), "--from", good.build_id, "--json"]) == 0
    changes = json.loads(capsys.readouterr().out)
    for table in ("pages", "segments", "propositions", "qa_pairs"):
        found = changes[table]
        assert found["before"] == found["after"]
        assert (found["added"], found["changed"], found["removed"]) == (0, 0, 0)
    assert changes["propositions"]["after"] > changes["pages"]["after"] == len(TOWNS)
    assert {"stage": "clean", "reason": "duplicate", "before": 0, "after": 3} in changes["rejects"]


def _report_file(build: BuildDir) -> Path:
    return Path(build.root, "70_report", "report.html")


def _report_of(build: BuildDir) -> BeautifulSoup:
    return BeautifulSoup(_report_file(build).read_text(encoding="utf-8"), "lxml")


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


def test_night_with_a_file_that_can_be_read_again_is_built(
    night: CrawlNight, closed: set[Path]
) -> None:
    villages = night.crawl / "villages.warc.gz"
    _archive(villages, range(PAGES, PAGES + 2))
    closed.add(villages)
    assert night.build() == 0
    assert night.pages() == PAGES
    # The only thing that changes.
    closed.clear()
    assert night.build() == 0
    assert night.pages() == PAGES + 2


def test_night_that_was_kept_for_a_file_is_built_when_it_can_be_read_again(
    night: CrawlNight, closed: set[Path]
) -> None:
    _archive(night.crawl / "villages.warc.gz", range(PAGES, PAGES + 2))
    closed.add(night.archive)
    assert night.build() == 3
    kept = night.store.builds()
    assert night.build() == 3
    assert night.store.builds() == kept, "judged again"

    closed.clear()
    assert night.build() == 0
    assert night.pages() == PAGES + 2
    assert night.store.published() not in kept

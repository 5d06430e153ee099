"""The run report of a whole build, and the units that it shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from bs4 import BeautifulSoup

from factmill.pipelines.report import REPORT, beside, build_before, shared_bytes
from factmill.runtime.verify.verify_build import verify_build
from factmill.schemas.errors import BuildError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import Manifest, read_manifest
from factmill.schemas.storage.atomic import link_file
from factmill.transforms.report.comparison import OpenBuild
from factmill.transforms.report.report_sample import code_balance, draw, shown_units
from factmill.transforms.report.verdict import PublishVerdict
from tests.compared_builds import compared_builds


@pytest.fixture
def build(sample_store: Path) -> BuildDir:
    return Store(sample_store).published()


@pytest.fixture
def manifest(build: BuildDir) -> Manifest:
    return read_manifest(build)


def test_report_is_a_file_of_the_build_like_any_other(build: BuildDir, manifest: Manifest) -> None:
    assert [file.path for file in manifest.tables[REPORT].files] == ["70_report/report.html"]
    assert verify_build(build, manifest) == []


def test_report_shows_the_manifests_figures(build: BuildDir, manifest: Manifest) -> None:
    text = (build.root / REPORT / "report.html").read_text(encoding="utf-8")
    soup = BeautifulSoup(text, "lxml")
    assert soup.h1 is not None
    assert soup.h1.get_text() == f"Build {build.build_id}"
    cells = [[cell.get_text() for cell in row.find_all("td")] for row in soup.find_all("tr")]
    for stage, counts in manifest.counts.items():
        row = next(row for row in cells if row and row[0] == stage and "adds up" in row)
        assert row[3:5] == [f"{counts.records_in:,}", f"{counts.records_out:,}"]
        for reason, number in counts.rejected.items():
            assert any(row[:4] == [stage, reason, "–", f"{number:,}"] for row in cells), reason
    for job in (*manifest.timings, *(name for name in manifest.tables if name != REPORT)):
        assert any(row and row[0] == job for row in cells), job
    articles = soup.find_all("article")
    assert len(articles) == 12
    shown = [article["id"] for article in articles]
    assert shown == [unit.unit_id for unit in shown_units(build, manifest)]


def test_build_before_that_cannot_be_read_is_not_compared_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = compared_builds(tmp_path / "store")
    after.work.mkdir()
    opened = OpenBuild(after, read_manifest(after))
    found = build_before(after, before, PublishVerdict(""))
    assert found is not None
    comparison, sites = beside(found, opened)
    assert comparison is not None
    assert max(site.pages_before for site in sites) == 1
    for path in before.root.glob("10_pages/*/*.parquet"):
        path.write_bytes(b"PAR1 and nothing else")
    comparison, sites = beside(found, opened)
    assert comparison is None
    assert max(site.pages for site in sites) == 1
    assert "publish: no comparison with before: " in capsys.readouterr().err
    before.manifest.write_text("{}")
    assert build_before(after, before, PublishVerdict("")) is None


def test_build_from_nothing_is_compared_with_the_published_one(tmp_path: Path) -> None:
    before, after = compared_builds(tmp_path / "store")
    found = build_before(after, None, PublishVerdict("", served=before.build_id))
    assert found is not None
    assert found.build == before
    assert build_before(after, None, PublishVerdict("")) is None


def test_units_of_the_sample_lead_back_to_their_page(build: BuildDir, manifest: Manifest) -> None:
    pages, segments, units = {}, {}, {}
    for shard in range(manifest.shards):
        for row in pq.read_table(build.part("10_pages", shard)).to_pylist():
            pages[row["page_id"]] = row
        for row in pq.read_table(build.part("11_segments", shard)).to_pylist():
            segments[row["segment_id"]] = row
        for table in ("20_propositions", "21_qa_pairs"):
            for row in pq.read_table(build.part(table, shard)).to_pylist():
                units[row["unit_id"]] = row
    sample = shown_units(build, manifest)
    assert [unit.kind for unit in sample] == ["proposition"] * 6 + ["QA pair"] * 6
    assert len({unit.unit_id for unit in sample}) == 12
    for shown in sample:
        unit = units[shown.unit_id]
        page = pages[unit["page_id"]]
        assert (shown.title, shown.url) == (page["title"], page["url"])
        assert shown.segment == segments[unit["segment_id"]]["text"]
        if shown.kind == "QA pair":
            assert shown.segment[shown.start : shown.end] == unit["answer"]
            assert shown.text == f"{unit['question']} {unit['answer']}"


def test_sample_depends_on_what_the_tables_hold_and_on_nothing_else(
    build: BuildDir, manifest: Manifest
) -> None:
    sample = shown_units(build, manifest)
    later = replace(manifest, build_id="other", created_at="tomorrow", timings={})
    assert shown_units(build, later) == sample
    entry = manifest.tables["20_propositions"]
    other = replace(entry, files=tuple(replace(file, sha256="f" * 64) for file in entry.files))
    changed = shown_units(
        build, replace(manifest, tables={**manifest.tables, "20_propositions": other})
    )
    assert changed[:6] != sample[:6]
    assert changed[6:] == sample[6:]


def test_unit_without_its_page_is_an_error(
    build: BuildDir, manifest: Manifest, tmp_path: Path
) -> None:
    lost = BuildDir(tmp_path / "build")
    for table in ("10_pages", "11_segments", "20_propositions", "21_qa_pairs"):
        for shard in range(manifest.shards):
            # Every shard has the pages of another one.
            source = (shard + 1) % manifest.shards if table == "10_pages" else shard
            link_file(build.part(table, source), lost.part(table, shard))
    with pytest.raises(BuildError, match="leads to no page"):
        shown_units(lost, manifest)


def test_draw_is_of_different_rows_and_all_when_there_are_few() -> None:
    assert draw("seed", 3, 6) == [0, 1, 2]
    assert draw("seed", 0, 6) == []
    for rows in (7, 8, 10**9):
        drawn = draw("seed", rows, 6)
        assert len(set(drawn)) == 6
        assert drawn == sorted(drawn)
        assert drawn[0] >= 0
        assert drawn[-1] < rows
    assert draw("seed", 10**9, 6) != draw("seeds", 10**9, 6)


def test_code_balance_is_the_share_of_ones(build: BuildDir, manifest: Manifest) -> None:
    codes = [
        list(code)
        for shard in range(manifest.shards)
        for code in pq.read_table(build.part("40_vectors", shard))["code"].to_pylist()
    ]
    expected = np.unpackbits(np.array(codes, np.uint8), axis=1).mean(axis=0)
    balance = code_balance(build, manifest.shards)
    # The sample crawl is smaller than what is looked at.
    assert balance.codes == len(codes)
    assert np.allclose(balance.shares, expected)


def test_shared_bytes_are_those_of_linked_files(
    build: BuildDir, manifest: Manifest, tmp_path: Path
) -> None:
    parent = BuildDir(tmp_path / "parent")
    table = manifest.tables["10_pages"].files
    link_file(build.root / table[0].path, parent.root / table[0].path)
    copy = parent.root / table[1].path
    copy.parent.mkdir(parents=True)
    copy.write_bytes((build.root / table[1].path).read_bytes())
    shared = shared_bytes(build, manifest, parent)
    assert shared["10_pages"] == table[0].bytes
    assert sum(shared.values()) == table[0].bytes
    assert shared_bytes(build, manifest, None) == {}

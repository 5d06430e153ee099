from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from factmill.models.text.sites import site_of
from factmill.schemas.errors import OptionError
from factmill.schemas.ids import page_id, shard_of
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import read_manifest
from factmill.schemas.records import Reject
from factmill.transforms.report.build_changes import (
    NOT_IN_INPUT,
    NOT_THERE_BEFORE,
    BuildChanges,
    PageReason,
    SiteChange,
    TableChange,
    build_changes,
)
from factmill.transforms.report.build_views import add_site_macro
from factmill.transforms.tasks.scratch_database import bounded_database
from tests.compared_builds import FERRY, add_reject, compared_builds, url_of
from tests.runtime.tiny_build import SHARDS, as_before_pages_of_rejects, tiny_build, write_manifest

Pair = tuple[BuildDir, BuildDir]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return compared_builds(tmp_path_factory.mktemp("changes") / "store")


@contextmanager
def _database(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with bounded_database(folder, 0.5) as database:
        yield database


def _compare(before: BuildDir, after: BuildDir, folder: Path) -> BuildChanges:
    builds = [(build, read_manifest(build)) for build in (before, after)]
    with _database(folder) as database:
        return build_changes(database, folder, builds[0], builds[1])


def test_build_changes_counts_what_came_went_and_changed(pair: Pair, tmp_path: Path) -> None:
    found = _compare(*pair, tmp_path)
    assert found.tables == {
        "10_pages": TableChange(6, 5, 1, 1, 2),
        # The edited page has one new segment and lost one; its page keeps its id.
        "11_segments": TableChange(9, 8, 2, 0, 3),
        "20_propositions": TableChange(8, 7, 2, 0, 3),
        "21_qa_pairs": TableChange(8, 7, 2, 0, 3),
    }


def test_build_changes_have_the_reasons_of_added_and_removed_pages(
    pair: Pair, tmp_path: Path
) -> None:
    before, after = pair
    assert _compare(before, after, tmp_path).reasons == (
        PageReason("added", NOT_THERE_BEFORE, 1),
        PageReason("removed", "near_duplicate", 1),
        PageReason("removed", NOT_IN_INPUT, 1),
    )
    back = _compare(after, before, tmp_path).reasons
    assert PageReason("added", "near_duplicate", 1) in back


@pytest.mark.parametrize(
    ("reasons", "told"),
    [
        (("superseded", "too_short", "http_status", "superseded"), "http_status"),
        (("http_status", "too_short"), "http_status"),
        (("superseded", "superseded"), "superseded"),
    ],
)
def test_build_changes_of_a_page_rejected_often_have_the_same_reason_each_time(
    reasons: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    before, after = compared_builds(tmp_path / "store")
    ferry = page_id(url_of(FERRY), "", "")
    for reason in reasons:
        add_reject(
            after,
            shard_of(url_of(FERRY), SHARDS),
            Reject("clean", reason, "f", url_of(FERRY), "", "ferry.example", ferry),
        )
    write_manifest(after, parent=before.build_id)
    assert PageReason("removed", told, 1) in _compare(before, after, tmp_path).reasons


def test_build_changes_are_told_by_site(pair: Pair, tmp_path: Path) -> None:
    found = _compare(*pair, tmp_path)
    assert found.sites == (
        SiteChange("lights.example", 0, 1, 0, 1, 1, 2, 2),
        SiteChange("dock.example", 1, 0, 0, 1, 0, 2, 0),
        SiteChange("ferry.example", 0, 0, 1, 0, 1, 0, 2),
        SiteChange("museum.example", 0, 0, 1, 0, 1, 0, 2),
    )
    assert found.site_count == 4


def test_build_changes_compare_rejects_by_stage_and_reason(pair: Pair, tmp_path: Path) -> None:
    rejects = _compare(*pair, tmp_path).rejects
    assert [(row.stage, row.reason, row.before, row.after) for row in rejects] == [
        ("clean", "bad_json", 1, 1),
        ("clean", "near_duplicate", 0, 1),
        ("extract", "no_units", 1, 1),
    ]


def test_build_changes_of_equal_builds_read_no_file(tmp_path: Path) -> None:
    build = tiny_build(tmp_path / "store")
    manifest = read_manifest(build)
    for path in build.root.glob("*/*/*.parquet"):
        path.unlink()
    with _database(tmp_path) as database:
        found = build_changes(database, tmp_path, (build, manifest), (build, manifest))
    assert not found.sites
    assert not found.reasons
    assert all(change.before == change.after for change in found.tables.values())


def test_build_changes_from_a_build_whose_rejects_have_no_page(tmp_path: Path) -> None:
    before, after = compared_builds(tmp_path / "store")
    as_before_pages_of_rejects(after)
    write_manifest(after, parent=before.build_id)
    assert _compare(before, after, tmp_path).reasons == (
        PageReason("added", NOT_THERE_BEFORE, 1),
        PageReason("removed", NOT_IN_INPUT, 2),
    )


def test_build_changes_of_other_shards_are_an_option_error(pair: Pair, tmp_path: Path) -> None:
    other = tiny_build(tmp_path / "store", shards=3)
    with pytest.raises(OptionError, match="has 2 shards and tiny has 3"):
        _compare(pair[0], other, tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "https://www.a.example:8080/x?y=//b.example",
        "http://a.example",
        "https://www2.a.example/",
        "ftp://user:pw@a.example/x",
        "https://[::1]:80/x",
        "//a.example/x",
        "",
        "no url",
        "a/b.html",
    ],
)
def test_site_of_a_url_is_the_same_in_sql(url: str, tmp_path: Path) -> None:
    with _database(tmp_path) as database:
        add_site_macro(database)
        assert database.execute("SELECT site_of(?)", [url]).fetchall() == [(site_of(url),)]

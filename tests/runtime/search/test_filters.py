"""Filters: what they allow, and that as many pages come back as there are."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from factmill.models.text.urls import canonical_url_of
from factmill.runtime.index import Index
from factmill.runtime.search import candidates, filter_masks
from factmill.runtime.search.search_filter import SearchFilter
from factmill.schemas.errors import CorruptStore, NotInBuild, OptionError
from factmill.schemas.layout import BuildDir
from factmill.transforms.index import centroids
from factmill.transforms.index.centroids import FindCentroids
from factmill.transforms.index.index_shards import IndexShard
from tests.runtime.tiny_build import (
    SHARDS,
    Fact,
    Site,
    as_before_kinds_of_pages,
    tiny_build,
    tiny_index,
    write_manifest,
)

QUERY = "gauge number 7 of the lower river"
_MOMENT = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
_LANGUAGES = ("en", "de", "fr", "")
PAGES = 60


def _sites() -> tuple[Site, ...]:
    """Pages alike, so that nothing but a filter tells them apart; each third has a table."""
    return tuple(
        Site(
            f"p{n}.{'north' if n % 2 else 'south'}", f"Page {n}",
            tuple(
                Fact(f"Gauge number {m} of the lower river reads {n * m} cm.", "What?", "lower")
                for m in range(3)
            ),
            "| Gauge | River |\n| --- | --- |\n| 7 | lower |" if n % 3 == 0 else "",
        )
        for n in range(PAGES)
    )  # fmt: skip


def _add_columns(build: BuildDir) -> dict[str, dict[str, Any]]:
    """Give the pages languages, kinds and dates; what each page has, by id."""
    rows: dict[str, dict[str, Any]] = {}
    for shard in range(SHARDS):
        path = build.part("10_pages", shard)
        table = pq.read_table(path, partitioning=None)
        number = [int(name.split(".")[0][1:]) for name in table["source_id"].to_pylist()]
        lang = [_LANGUAGES[n % 4] for n in number]
        fetched = [None if n % 5 == 0 else _MOMENT + timedelta(days=n) for n in number]
        kind = ["article" if n % 2 else "forum" for n in number]
        table = table.set_column(table.schema.get_field_index("lang"), "lang", pa.array(lang))
        at = table.schema.get_field_index("fetched_at")
        times = pa.array(fetched, pa.timestamp("us", tz="UTC"))
        table = table.set_column(at, "fetched_at", times)
        table = table.set_column(table.schema.get_field_index("kind"), "kind", pa.array(kind))
        pq.write_table(table, path)
        rows |= {row["page_id"]: row for row in table.to_pylist()}
    return rows


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    return tiny_build(tmp_path_factory.mktemp("filters") / "store", _sites())


@pytest.fixture(scope="module")
def pages(build: BuildDir) -> dict[str, dict[str, Any]]:
    return _add_columns(build)


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory, pages: dict[str, dict[str, Any]]) -> BuildDir:
    """The same pages in an index with inverted lists."""
    assert pages
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(centroids, "list_count", lambda _: 8)
        build = tiny_build(tmp_path_factory.mktemp("listed") / "store", _sites())
        FindCentroids(build, SHARDS, None)(0)
        for shard in range(SHARDS):
            IndexShard(build)(shard)
    _add_columns(build)
    write_manifest(build)
    return build


@pytest.fixture(params=["all segments", "all codes", "inverted lists"])
def index(
    request: pytest.FixtureRequest,
    build: BuildDir,
    listed: BuildDir,
    monkeypatch: pytest.MonkeyPatch,
) -> Index:
    """The pages, searched in each of the ways that candidates are found."""
    if request.param != "all segments":
        monkeypatch.setattr(filter_masks, "_FEW", 0)
        monkeypatch.setattr(candidates, "MIN_ROWS", 4)
    if request.param == "inverted lists":
        monkeypatch.setattr(candidates, "_MAX_PROBED_SHARE", float("inf"))
        return tiny_index(listed)
    return tiny_index(build)


FILTERS = [
    (SearchFilter(languages=("de",)), lambda row: row["lang"] == "de"),
    (SearchFilter(languages=("DE-at", "fr_FR")), lambda row: row["lang"] in ("de", "fr")),
    (SearchFilter(page_kinds=("forum",)), lambda row: row["kind"] == "forum"),
    (SearchFilter(sites=("north.example",)), lambda row: ".north." in row["url"]),
    (SearchFilter(sites=("p7.north.example",)), lambda row: row["source_id"] == "p7.north"),
    (SearchFilter(sites=("WWW.P7.North.Example",)), lambda row: row["source_id"] == "p7.north"),
    (SearchFilter(sites=("th.example",)), lambda _: False),
    (SearchFilter(sites=("p7",)), lambda _: False),
    (
        SearchFilter(fetched_from=_MOMENT + timedelta(days=50)),
        lambda row: row["fetched_at"] and row["fetched_at"] >= _MOMENT + timedelta(days=50),
    ),
    (
        SearchFilter(fetched_from=_MOMENT, fetched_until=_MOMENT + timedelta(days=3)),
        lambda row: row["fetched_at"] and row["fetched_at"] <= _MOMENT + timedelta(days=3),
    ),
    (SearchFilter(segment_kinds=("table",)), lambda row: int(row["title"].split()[1]) % 3 == 0),
    (
        SearchFilter(languages=("en",), sites=("south.example",), page_kinds=("forum",)),
        lambda row: row["lang"] == "en" and ".south." in row["url"] and row["kind"] == "forum",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("only", "fits"), FILTERS)
@pytest.mark.parametrize("lexical", [True, False])
def test_search_finds_all_that_a_filter_allows_and_nothing_else(
    index: Index, pages: dict[str, dict[str, Any]], only: SearchFilter, fits: Any, lexical: bool
) -> None:
    allowed = {page for page, row in pages.items() if fits(row)}

    few = index.search(QUERY, 5, lexical=lexical, only=only)
    every = index.search(QUERY, PAGES, lexical=lexical, only=only)

    assert {hit.page_id for hit in every} == allowed
    assert len(few) == min(5, len(allowed))
    assert {hit.page_id for hit in few} <= allowed
    if only.segment_kinds:
        assert {hit.start for hit in every} == {None}


def test_search_scores_as_without_the_filter(build: BuildDir, pages: dict[str, Any]) -> None:
    index, only, rows = tiny_index(build), SearchFilter(languages=("de",)), 10 * PAGES

    found = index.search(QUERY, rows, lexical=False, only=only)
    of_all = index.search(QUERY, rows, lexical=False)
    german = [hit for hit in of_all if pages[hit.page_id]["lang"] == "de"]

    assert [hit.page_id for hit in found] == [hit.page_id for hit in german]
    assert np.allclose([hit.score for hit in found], [hit.score for hit in german], atol=1e-6)


@pytest.mark.parametrize("kind", ["proposition", "qa_pair"])
def test_filter_by_units_shows_these_alone(index: Index, kind: str) -> None:
    found = index.search(QUERY, PAGES, only=SearchFilter(unit_kinds=(kind,)))

    assert len(found) == PAGES
    assert all(hit.units for hit in found)
    assert {unit.kind for hit in found for unit in hit.units} == {kind}


def test_filter_that_allows_all_changes_nothing(build: BuildDir) -> None:
    index = tiny_index(build)

    assert not SearchFilter()
    assert index.search(QUERY, 7, only=SearchFilter()) == index.search(QUERY, 7)


@pytest.mark.parametrize("most", [20, 3])
def test_numbers_of_segments_are_kept_only_if_they_are_few(
    build: BuildDir, pages: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    assert pages
    monkeypatch.setattr(filter_masks, "_FEW", most)
    allowed = tiny_index(build)._allowed(
        SearchFilter(sites=("p3.north.example", "p6.south.example"))
    )

    assert allowed is not None
    found = allowed.segments.nonzero()[0]
    assert 3 < len(found) < 20
    assert (allowed.few is None) == (most == 3)
    assert allowed.few is None or np.array_equal(allowed.few, found)


def test_search_without_a_filter_reads_no_table(build: BuildDir, tmp_path: Path) -> None:
    index = tiny_index(build)
    moved = build.root / "10_pages"
    moved.rename(tmp_path / "10_pages")
    try:
        assert index.search(QUERY, 3)
        with pytest.raises(CorruptStore, match="10_pages"):
            index.search(QUERY, 3, only=SearchFilter(languages=("xx",)))
    finally:
        (tmp_path / "10_pages").rename(moved)


def test_filter_that_the_build_cannot_answer_is_one_clear_error(
    tmp_path: Path,
) -> None:
    older = tiny_build(tmp_path / "store")
    as_before_kinds_of_pages(older)
    index = tiny_index(older)

    with pytest.raises(NotInBuild, match="no column kind"):
        index.search(QUERY, 3, only=SearchFilter(page_kinds=("article",)))


def test_pages_of_another_build_are_not_taken_for_those_of_the_index(tmp_path: Path) -> None:
    build = tiny_build(tmp_path / "store", _sites()[:6])
    index = tiny_index(build)
    path = build.part("10_pages", 0)
    table = pq.read_table(path, partitioning=None)
    pq.write_table(table.take(list(reversed(range(len(table))))), path)

    with pytest.raises(CorruptStore, match="not the pages of the index"):
        index.search(QUERY, 3, only=SearchFilter(languages=("en",)))


def test_filter_may_have_a_hundred_values() -> None:
    sites = tuple(f"{n}.example" for n in range(100))

    assert SearchFilter(sites=sites).sites == tuple(sorted(sites))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"sites": "north.example"}, "sites must be a sequence"),
        ({"sites": ("a b",)}, "not a host"),
        ({"sites": ("a/b",)}, "not a host"),
        ({"sites": ("..",)}, "not a host"),
        ({"sites": ("2001:db8::1",)}, "not a host"),
        ({"languages": ("",)}, "languages must be"),
        ({"languages": ("\ud800",)}, "languages must be"),
        ({"languages": ("english",)}, "'english' is not a language code like en"),
        ({"page_kinds": ("blog",)}, "'blog' must be one of article, documentation"),
        (
            {"languages": tuple(f"l{n}" for n in range(101))},
            "languages must have at most 100 values",
        ),
        ({"segment_kinds": ("image",)}, "must be one of text, table"),
        ({"unit_kinds": ("segment",)}, "must be one of proposition, qa_pair"),
        ({"sites": None}, "sites must be a sequence"),
        ({"fetched_from": "2026-01-01"}, "fetched_from must be a datetime, not str"),
        ({"fetched_until": date(2026, 1, 1)}, "must be a datetime, not date"),
    ],
)
def test_filter_that_makes_no_sense_is_refused(fields: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        SearchFilter(**fields)


@pytest.mark.parametrize(
    ("site", "url"),
    [
        ("bücher.example", "https://Bücher.example/a"),
        ("BÜCHER.example.", "https://www.bücher.example/a"),
        ("xn--bcher-kva.example", "https://bücher.example/a"),
        ("bücher.example", "https://laden.bücher.example:8080/a"),
        ("[2001:DB8::1]", "http://[2001:db8::1]:8080/a"),
    ],
)
def test_site_matches_the_stored_url_in_any_spelling(site: str, url: str) -> None:
    (condition,) = filter_masks._conditions(SearchFilter(sites=(site,)))
    urls = pa.chunked_array([[canonical_url_of(url), "https://example.org/"]])

    assert condition[1](urls).to_pylist() == [True, False]


def test_moments_without_a_zone_are_utc_and_edges_of_time_are_kept() -> None:
    naive = SearchFilter(fetched_from=datetime(2026, 1, 1))
    east = timezone(timedelta(hours=23))

    assert naive.fetched_from == datetime(2026, 1, 1, tzinfo=timezone.utc)
    first = SearchFilter(fetched_from=datetime(1, 1, 1, tzinfo=east)).fetched_from
    last = SearchFilter(
        fetched_until=datetime(9999, 12, 31, 23, tzinfo=timezone(-timedelta(hours=5)))
    )
    assert first == datetime.min.replace(tzinfo=timezone.utc)
    assert last.fetched_until == datetime.max.replace(tzinfo=timezone.utc)

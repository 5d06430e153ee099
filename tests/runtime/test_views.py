from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from factmill.runtime.view_query import query
from factmill.runtime.views import VIEWS, connect, summary_sql
from factmill.schemas.errors import CorruptStore, OptionError
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import read_manifest
from tests.runtime.tiny_build import (
    SITES,
    as_before_kinds_of_pages,
    as_before_pages_of_rejects,
    as_before_posts,
    tiny_build,
)


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    return tiny_build(tmp_path_factory.mktemp("views") / "store")


def _files(build: BuildDir) -> dict[str, bytes]:
    root = build.root.parent.parent
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("view", VIEWS)
def test_query_view_has_the_rows_of_its_tables(build: BuildDir, view: str) -> None:
    expected = sum(
        pq.read_metadata(build.part(folder, shard)).num_rows
        for folder in VIEWS[view]
        for shard in range(2)
    )
    assert expected > 0
    assert query(build, f"select count(*) as n from {view}") == (["n"], [(expected,)])


def test_query_shard_is_a_column_from_the_folder(build: BuildDir) -> None:
    columns, rows = query(build, "select source_id, shard from pages")
    assert columns == ["source_id", "shard"]
    expected = {
        (source, shard)
        for shard in range(2)
        for source in pq.read_table(build.part("10_pages", shard))["source_id"].to_pylist()
    }
    assert {(source, int(shard)) for source, shard in rows} == expected


def test_query_joins_lead_from_answer_to_url(build: BuildDir) -> None:
    sql = (
        "select p.url from qa_pairs q join segments s using (segment_id)"
        " join pages p on p.page_id = s.page_id where q.answer = '1742'"
    )
    assert query(build, sql)[1] == [(f"https://{SITES[0].name}.example/",)]


def test_query_rejects_of_both_stages_are_one_view(build: BuildDir) -> None:
    assert query(build, "select stage, reason from rejects order by stage")[1] == [
        ("clean", "bad_json"),
        ("extract", "no_units"),
    ]


def test_query_rejects_of_an_older_version_have_no_page(tmp_path: Path) -> None:
    older = tiny_build(tmp_path / "store")
    as_before_pages_of_rejects(older)
    sql = "select stage, site, page_id, kept_page_id from rejects order by stage"
    nothing = (None, None, None)
    assert query(older, sql)[1] == [("clean", *nothing), ("extract", *nothing)]


def test_query_pages_of_an_older_version_have_no_kind(tmp_path: Path) -> None:
    older = tiny_build(tmp_path / "store")
    as_before_kinds_of_pages(older)
    sql = "select distinct kind, kind_confidence from pages"
    assert query(older, sql)[1] == [(None, None)]


def test_query_segments_of_an_older_version_have_no_post(tmp_path: Path) -> None:
    older = tiny_build(tmp_path / "store")
    as_before_posts(older)
    sql = "select distinct post, author, published, entities[1].label from segments order by all"
    assert query(older, sql)[1] == [(None, None, None, "MISC"), (None, None, None, None)]


def test_query_tokens_are_those_of_every_build_that_can_be_read(tmp_path: Path) -> None:
    build = tiny_build(tmp_path / "store")
    manifest = read_manifest(build)
    for name, model, calls in (("one", "small", 3), ("two", "large", 5), ("torn", "small", 7)):
        replace(
            manifest,
            build_id=name,
            configuration=manifest.configuration | {"reader": "llm", "llm_model": model},
            llm={"calls": calls, "tokens_new": 100 * calls},
        ).write(build.store.build(name))
    build.store.build("torn").manifest.write_text("{}")
    sql = "select model, build_id, calls, tokens_new from tokens where calls > 0 order by calls"
    assert query(build, sql)[1] == [("small", "one", 3, 300), ("large", "two", 5, 500)]
    assert query(build, "select count(*) from tokens")[1] == [(3,)]


def test_summary_sql_has_a_row_for_each_view(build: BuildDir) -> None:
    columns, rows = query(build, summary_sql())
    assert columns == ["table", "rows"]
    assert [row[0] for row in rows] == list(VIEWS)
    assert dict(rows)["pages"] == len(SITES)


@pytest.mark.parametrize("shards", [1, 3])
def test_query_empty_build_has_empty_views(tmp_path: Path, shards: int) -> None:
    build = tiny_build(tmp_path / "store", sites=(), shards=shards)
    assert query(build, "select count(*) from pages")[1] == [(0,)]


@pytest.mark.parametrize("name", ["it's a store", "data [1]", "a*b", "what?", "{x}"])
def test_query_store_at_a_strange_path_is_readable(tmp_path: Path, name: str) -> None:
    build = tiny_build(tmp_path / name)
    assert query(build, "select count(*) from pages")[1] == [(len(SITES),)]


def test_query_folders_above_the_store_are_no_columns(build: BuildDir, tmp_path: Path) -> None:
    below = tiny_build(tmp_path / "kind=x" / "url=y" / "shard=009" / "store")
    for view in VIEWS:
        sql = f"select * from {view} order by all"
        assert query(below, sql) == query(build, sql), view


@pytest.mark.parametrize(
    "sql",
    ["selec 1", "select nothing from pages", "select * from nowhere", "", "select 1/'x'",
     "select * from pages where"],
)  # fmt: skip
def test_query_bad_sql_is_an_option_error_of_one_line(build: BuildDir, sql: str) -> None:
    with pytest.raises(OptionError, match="--sql") as caught:
        query(build, sql)
    assert "\n" not in str(caught.value)


def test_query_files_outside_the_build_cannot_be_read(build: BuildDir, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,2\n")
    other = build.root.parent.parent / "CURRENT"
    for sql in (
        f"select * from read_csv('{secret}')",
        f"select * from '{secret}'",
        f"select * from read_text('{other}')",
        f"select * from read_text('{build.root}/../../CURRENT')",
        "select * from glob('/etc/*')",
        f"attach '{tmp_path}/x.db'",
        "select * from read_csv('https://a.example/x.csv')",
        "install httpfs",
        "load httpfs",
    ):
        with pytest.raises(OptionError):
            query(build, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "set enable_external_access = true",
        "set allowed_directories = ['/']",
        "reset enable_external_access",
        "set lock_configuration = false",
    ],
)
def test_query_settings_cannot_be_changed_back(build: BuildDir, sql: str) -> None:
    with pytest.raises(OptionError):
        query(build, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "copy (select 1) to '{root}/x.csv'",
        "copy (select * from pages) to '{root}/10_pages/shard=000/part-000.parquet'",
        "copy (select 1) to '{root}/../x.csv'",
        "explain analyze copy (select 1) to '{root}/manifest.json'",
        "explain analyze copy (select 1) to '{root}/10_pages/shard=000/part-000.parquet'",
        "explain (analyze, format json) copy (select 1) to '{root}/10_pages/shard=000/new.csv'",
        "/* é */ explain /* ( */ analyze copy (select 1) to '{root}/10_pages/shard=000/new.csv'",
        "explain analyze copy (select 1) to '{root}/10_pages/shard=000/new.csv' -- ) select 1",
        "explain analyze create table t as select 1",
        "prepare a as copy (select 1) to '{root}/10_pages/shard=000/new.csv'",
        "from enable_profiling(format := 'json', save_location := '{root}/10_pages/profile.json')",
        "from enable_logging(storage := 'file', storage_path := '{root}/10_pages')",
        "export database '{root}/dump'",
        "attach '{root}/x.db' as other",
        "delete from pages",
        "insert into rejects select * from rejects",
    ],
)
def test_query_build_cannot_be_written_to(tmp_path: Path, sql: str) -> None:
    build = tiny_build(tmp_path / "store")
    before = _files(build)
    with pytest.raises(OptionError):
        query(build, sql.format(root=build.root))
    assert _files(build) == before


def test_connect_gives_every_view(build: BuildDir) -> None:
    with connect(build) as connection:
        names = connection.execute("select view_name from duckdb_views() where not internal")
        assert {name for (name,) in names.fetchall()} == set(VIEWS)


def test_connect_refuses_a_table_that_is_no_parquet_and_closes_its_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = tiny_build(tmp_path / "store")
    build.part("11_segments", 1).write_bytes(b"PAR1 and nothing else")
    connection = duckdb.connect(":memory:")
    monkeypatch.setattr(duckdb, "connect", lambda _: connection)

    with pytest.raises(CorruptStore, match="segments cannot be read: ") as caught:
        query(build, "select 1")

    assert "\n" not in str(caught.value)
    with pytest.raises(duckdb.ConnectionException):
        connection.execute("select 1")


def test_connect_refuses_a_table_that_is_a_link_out_of_the_build(tmp_path: Path) -> None:
    build = tiny_build(tmp_path / "store")
    path = build.part("10_pages", 0)
    path.rename(tmp_path / "elsewhere.parquet")
    path.symlink_to(tmp_path / "elsewhere.parquet")
    with pytest.raises(CorruptStore, match="a link out of"):
        connect(build)

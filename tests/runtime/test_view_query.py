from __future__ import annotations

import time

import duckdb
import pytest

from factmill.runtime.view_query import QueryLimits, is_select, query
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import BuildDir
from tests.runtime.tiny_build import SITES, tiny_build

ENDLESS = "select count(*) from range(1000000) a, range(1000000) b where a.range * b.range % 7 = 3"


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    return tiny_build(tmp_path_factory.mktemp("view_query") / "store")


@pytest.mark.parametrize(
    "sql",
    [
        "select 1",
        "from pages",
        "values (1), (2)",
        "describe pages",
        "summarize pages",
        "show tables",
        "with a as (select 1) from a",
        "explain select 1",
        "EXPLAIN ANALYZE select count(*) from pages",
        "explain (analyze, format json) select 1",
        "explain /* why */ analyze /* é */ select 'é' -- here",
        "explain (select 1)",
        "explain (select 1) union all (select 2)",
    ],
)
def test_query_statement_that_reads_is_run(build: BuildDir, sql: str) -> None:
    columns, rows = query(build, sql)
    assert columns
    assert rows


@pytest.mark.parametrize(
    "sql",
    [
        "explain analyze copy (select 1) to 'x'",
        "explain copy (select 1) to 'x'",
        "explain (analyze) copy (select 1) to 'x'",
        "explain insert into t select 1",
        "explain delete from t",
        "explain analyze create table t as select 1",
        "explain execute a",
        "prepare a as select 1",
        "call pragma_version()",
        "pragma version",
        "select 1; select 2",
        "select 1; copy (select 1) to 'x'",
        "set threads = 1",
    ],
)
def test_is_select_statement_that_may_do_more_is_none(sql: str) -> None:
    with duckdb.connect(":memory:") as connection:
        assert not is_select(connection, sql)


@pytest.mark.parametrize("sql", [ENDLESS, f"explain analyze {ENDLESS}"])
def test_query_beyond_its_time_is_stopped(build: BuildDir, sql: str) -> None:
    began = time.monotonic()
    with pytest.raises(OptionError, match=r"not done after 0\.2 seconds"):
        query(build, sql, QueryLimits(seconds=0.2))
    assert time.monotonic() - began < 20


def test_query_beyond_its_memory_is_stopped(build: BuildDir) -> None:
    with pytest.raises(OptionError, match=r"more than 0\.1 GB of memory"):
        query(build, "select list(range) from range(100000000)", QueryLimits(memory_gb=0.1))


def test_query_with_too_little_memory_for_the_views_is_stopped(build: BuildDir) -> None:
    with pytest.raises(OptionError, match="more than 1e-09 GB of memory"):
        query(build, "select 1", QueryLimits(memory_gb=1e-9))


def test_query_of_too_many_rows_is_stopped(build: BuildDir) -> None:
    assert len(query(build, "from pages", QueryLimits(rows=len(SITES)))[1]) == len(SITES)
    with pytest.raises(OptionError, match="add a LIMIT"):
        query(build, "from pages", QueryLimits(rows=len(SITES) - 1))


def test_query_with_a_lone_surrogate_is_an_option_error(build: BuildDir) -> None:
    with pytest.raises(OptionError, match="--sql: not Unicode"):
        query(build, "select '\ud800'")

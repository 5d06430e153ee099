from __future__ import annotations

import math
from pathlib import Path
from typing import cast

import pytest

from factmill.runtime.opening import open_index
from factmill.runtime.query_checks import MAX_HITS, check_hits, check_queries, check_query
from factmill.runtime.search.search_filter import SearchFilter
from factmill.schemas.errors import OptionError


@pytest.mark.parametrize("query", ["", " \t\n", "\u2003"])
def test_empty_query_is_refused(query: str) -> None:
    with pytest.raises(OptionError, match="the query is empty"):
        check_query(query)


def test_query_with_a_lone_surrogate_is_refused_by_its_position() -> None:
    with pytest.raises(OptionError, match="character 4"):
        check_query("abc\udcff")


@pytest.mark.parametrize("query", ["?", "who designed 東京タワー 🗼", "a\x1bb"])
def test_any_other_query_is_taken(query: str) -> None:
    check_query(query)


@pytest.mark.parametrize("k", [1, MAX_HITS])
def test_numbers_of_hits_within_bounds_are_taken(k: int) -> None:
    check_hits(k)


@pytest.mark.parametrize("k", [-1, 0, MAX_HITS + 1, 10**9])
def test_numbers_of_hits_out_of_bounds_are_refused(k: int) -> None:
    with pytest.raises(OptionError, match="from 1 to 10000"):
        check_hits(k)


@pytest.mark.parametrize("k", [3.0, math.nan, "3", None])
def test_number_of_hits_that_is_no_whole_number_is_refused(k: int) -> None:
    with pytest.raises(OptionError, match="k must be a whole number"):
        check_hits(k)


@pytest.mark.parametrize("query", [None, 5, b"ferry", ["ferry"]])
def test_query_that_is_no_text_is_refused(query: str) -> None:
    with pytest.raises(OptionError, match="must be a text"):
        check_query(query)


def test_one_text_instead_of_several_is_refused() -> None:
    check_queries(["a", "b"])
    with pytest.raises(OptionError, match="not one text"):
        check_queries("ab")


def test_search_in_python_refuses_what_the_command_line_refuses(sample_store: Path) -> None:
    index = open_index(sample_store)

    for query in ("", " \n", "a\udc80"):
        with pytest.raises(OptionError, match="the query is"):
            index.search(query)
    with pytest.raises(OptionError, match="only must be a SearchFilter, not dict"):
        index.search("ferry", only=cast(SearchFilter, {"sites": ["ferry.example"]}))
    for row_of in (index.page, index.segment, index.unit, index.tables_of):
        with pytest.raises(OptionError, match="an id must be a text, not int"):
            row_of(cast(str, 5))


@pytest.mark.parametrize("store", [None, 5, b"store", ""])
def test_store_that_is_no_path_is_refused(store: str) -> None:
    with pytest.raises(OptionError, match="must be a folder or a URL"):
        open_index(store)

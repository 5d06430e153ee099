"""Titles, header, data and notes of a table."""

from __future__ import annotations

import pytest
from lxml.html import fromstring

from factmill.transforms.markup.tables.grid import RepeatBudget, table_rows
from factmill.transforms.markup.tables.table_parts import Parts, split_parts


def _parts(html: str) -> Parts:
    parts = split_parts(*table_rows(fromstring(f"<table>{html}</table>"), {}, RepeatBudget()))
    assert parts is not None
    return parts


_BODY = "<tr><td>x</td><td>1</td></tr><tr><td>y</td><td>2</td></tr>"
_ROWS = [("x", "1"), ("y", "2")]


def test_split_parts_rows_across_the_top_are_titles_and_across_the_end_notes() -> None:
    parts = _parts(
        "<tr><th colspan=9>Tides</th></tr><tr><th>a</th><th>b</th></tr>"
        f"{_BODY}<tr><td colspan=2>Source: harbour</td></tr>"
    )
    assert parts == Parts(["Tides"], ("a", "b"), _ROWS, ["Source: harbour"])


def test_split_parts_only_section_below_the_header_is_a_title() -> None:
    parts = _parts(f"<tr><th>a</th><th>b</th></tr><tr><th colspan=2>North</th></tr>{_BODY}")
    assert parts == Parts(["North"], ("a", "b"), _ROWS, [])


def test_split_parts_several_sections_stay_where_they_are() -> None:
    north, south = (f"<tr><th colspan=2>{name}</th></tr>" for name in ("North", "South"))
    parts = _parts(f"<tr><th>a</th><th>b</th></tr>{north}{_BODY}{south}{_BODY}")
    assert parts.titles == []
    assert parts.body == [("North", "North"), *_ROWS, ("South", "South"), *_ROWS]


def test_split_parts_header_rows_are_joined_by_column() -> None:
    parts = _parts(
        "<tr><th rowspan=2>a</th><th colspan=2>b</th></tr><tr><th>c</th><th>b</th></tr>"
        "<tr><td>x</td><td>1</td><td>2</td></tr>"
    )
    assert parts.header == ("a", "b c", "b")
    assert parts.body == [("x", "1", "2")]


def test_split_parts_rows_of_thead_are_header_whatever_their_cells() -> None:
    head = "<thead><tr><td>a</td><td>b</td></tr><tr><td></td><td>c</td></tr></thead>"
    assert _parts(head + _BODY) == Parts([], ("a", "b c"), _ROWS, [])


def test_split_parts_first_row_is_the_header_when_no_cell_is_marked() -> None:
    assert _parts(f"<tr><td>a</td><td>b</td></tr>{_BODY}") == Parts([], ("a", "b"), _ROWS, [])


def test_split_parts_row_with_nothing_but_its_own_name_is_no_second_header() -> None:
    parts = _parts(f"<tr><th>a</th><th>b</th></tr><tr><th>w</th><td></td></tr>{_BODY}")
    assert parts == Parts([], ("a", "b"), [("w", ""), *_ROWS], [])


def test_split_parts_table_of_header_cells_only_keeps_its_rows() -> None:
    parts = _parts("".join(f"<tr><th>{name}</th><th>{name}2</th></tr>" for name in "abcdefg"))
    assert parts.header == ("a", "a2")
    assert len(parts.body) == 6


@pytest.mark.parametrize(
    "rows",
    [
        "<tr><th>x</th><td>1</td></tr><tr><th>y</th><td>2</td></tr>",
        "<tr><td>x:</td><td>1</td></tr><tr><td>y:</td><td>2</td></tr>",
        "<tr><th colspan=2>Box</th></tr><tr><th>x</th><td>1</td></tr>",
    ],
)
def test_split_parts_keys_and_values_have_an_empty_header(rows: str) -> None:
    parts = _parts(rows)
    assert parts.header == ("", "")
    assert parts.body[0][1] == "1"


def test_split_parts_title_above_a_single_row_is_its_header() -> None:
    parts = _parts("<tr><td colspan=2>Opening</td></tr><tr><td>8</td><td>17</td></tr>")
    assert parts == Parts([], ("Opening", "Opening"), [("8", "17")], [])


@pytest.mark.parametrize(
    "rows",
    [
        # A colour beside the name, under a header that spans both.
        "<tr><th colspan=2>a</th><th>b</th></tr><tr><td></td><td>x</td><td>1</td></tr>"
        "<tr><td></td><td>y</td><td>2</td></tr>",
        # The last row spans the colour too.
        "<tr><th colspan=2>a</th><th>b</th></tr><tr><td></td><td>x</td><td>1</td></tr>"
        "<tr><td colspan=2>y</td><td>2</td></tr>",
        # A column without a value, and one in which nothing begins.
        "<tr><th>a</th><th>b</th><th>Notes</th></tr><tr><td>x</td><td>1</td><td></td></tr>"
        "<tr><td>y</td><td>2</td></tr>",
        "<tr><th>a</th><th colspan=4>b</th></tr><tr><td>x</td><td colspan=4>1</td></tr>"
        "<tr><td>y</td><td colspan=4>2</td></tr>",
    ],
)
def test_split_parts_columns_that_say_nothing_are_left_out(rows: str) -> None:
    assert _parts(rows) == Parts([], ("a", "b"), _ROWS, [])


def test_split_parts_cell_that_only_shares_columns_with_others_stays() -> None:
    parts = _parts(
        "<tr><td>a</td><td>b</td><td>c</td></tr><tr><td colspan=2>d</td><td>e</td></tr>"
        "<tr><td colspan=2>f</td><td>g</td></tr>"
    )
    assert {cell for row in [parts.header, *parts.body] for cell in row} == set("abcdefg")


@pytest.mark.parametrize("rows", ["", "<tr><td>a</td><td>b</td></tr>", "<tr><td></td></tr>" * 3])
def test_split_parts_fewer_than_two_rows_are_nothing(rows: str) -> None:
    assert (
        split_parts(*table_rows(fromstring(f"<table>{rows}</table>"), {}, RepeatBudget())) is None
    )

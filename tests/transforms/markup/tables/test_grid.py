"""Cells in rows and columns, against the HTML standard's own algorithm."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.html import fromstring

from factmill.transforms.markup.tables.grid import RepeatBudget, table_rows

# Text, column span, row span.
Cell = tuple[str, int, int]


def _grid(html: str, budget: RepeatBudget | None = None) -> list[list[str]]:
    rows, _ = table_rows(fromstring(f"<table>{html}</table>"), {}, budget or RepeatBudget())
    return [[cell.text for cell in row] for row in rows]


def test_table_rows_unheard_cell_keeps_its_place_and_a_hidden_one_has_none() -> None:
    html = "<tr><td aria-hidden=true>x<td>Mars<td hidden>y<td>2</tr>"
    assert _grid(html) == [["", "Mars", "2"]]


def test_table_rows_header_that_is_only_a_button_says_what_that_says() -> None:
    html = "<tr><th><button>Name</button><th>Moons <button>Sort</button><td><button>Buy</button>"
    assert _grid(html + "</tr>") == [["Name", "Moons", ""]]


def _html(rows: list[list[Cell]]) -> str:
    lines = (
        "".join(f"<td colspan={w} rowspan={h}>{escape(text)}</td>" for text, w, h in row)
        for row in rows
    )
    return "".join(f"<tr>{line}</tr>" for line in lines)


def _standard_grid(rows: list[list[Cell]]) -> list[list[set[str]]]:
    """The HTML standard's algorithm for forming a table (section 4.9.12), literally: a square holds
    the texts of all cells that cover it, more than one where cells overlap."""
    squares: dict[tuple[int, int], set[str]] = {}
    for y, row in enumerate(rows):
        x = 0
        for text, width, height in row:
            while (x, y) in squares:
                x += 1
            for column in range(x, x + width):
                for line in range(y, min(y + height, len(rows))):
                    squares.setdefault((column, line), set()).add(text)
            x += width
    width = max(column for column, _ in squares) + 1
    return [[squares.get((x, y), {""}) for x in range(width)] for y in range(len(rows))]


_CELL = st.tuples(st.text("abcdefgh", min_size=1, max_size=3), st.integers(1, 3), st.integers(1, 4))


@given(st.lists(st.lists(_CELL, min_size=1, max_size=4), min_size=1, max_size=6))
@settings(max_examples=200)
def test_table_rows_random_spans_agree_with_the_html_standard(rows: list[list[Cell]]) -> None:
    expected = _standard_grid(rows)
    found = _grid(_html(rows))
    assert len(found) == len(expected)
    for row, squares in zip(found, expected, strict=True):
        padded = row + [""] * (len(squares) - len(row))
        assert all(cell in texts for cell, texts in zip(padded, squares, strict=True)), (
            row,
            squares,
        )


def test_table_rows_spanned_slots_hold_one_cell() -> None:
    table = fromstring("<table><tr><th colspan=2 rowspan=2>a<td>b</tr><tr><td>c</tr></table>")
    (first, second), _ = table_rows(table, {}, RepeatBudget())
    assert first[0] is first[1] is second[0] is second[1]
    assert first[0].header
    assert not first[2].header


def test_table_rows_row_span_ends_with_its_group_of_rows() -> None:
    head = "<thead><tr><th rowspan=3>A</th><th>B</th></tr></thead>"
    body = "<tbody><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></tbody>"
    assert _grid(head + body) == [["A", "B"], ["1", "2"], ["3", "4"]]


def test_table_rows_row_span_of_zero_reaches_to_the_end() -> None:
    html = "<tr><th rowspan=0>A<th>B</tr><tr><td>2</tr><tr><td>4</tr>"
    assert _grid(html) == [["A", "B"], ["A", "2"], ["A", "4"]]


@pytest.mark.parametrize("span", ["2.7", " 2", "2px"])
def test_table_rows_span_is_read_up_to_its_digits(span: str) -> None:
    assert _grid(f"<tr><td colspan='{span}'>a</td></tr>") == [["a", "a"]]


@pytest.mark.parametrize("span", ["", "x", "-2", "-", "0"])
def test_table_rows_span_that_is_no_number_is_one(span: str) -> None:
    assert _grid(f"<tr><td colspan='{span}'>a<td>b</tr>") == [["a", "b"]]


def test_table_rows_foot_comes_last_and_the_head_is_counted() -> None:
    table = fromstring(
        "<table><thead><tr><td>h</tr><tr><td>i</tr></thead><tfoot><tr><td>f</tr></tfoot>"
        "<tbody><tr><td>b</tr></tbody></table>"
    )
    rows, head = table_rows(table, {}, RepeatBudget())
    assert [row[0].text for row in rows] == ["h", "i", "b", "f"]
    assert head == 2


def test_table_rows_forms_around_rows_and_cells_are_seen_through() -> None:
    html = "<form><tr><td>a</td><form><td>b</td></form></tr></form><tr><td>c</td></tr>"
    assert _grid(html) == [["a", "b"], ["c"]]


def test_table_rows_cells_of_a_nested_table_are_not_its_own() -> None:
    html = "<tr><td>a<table><tr><td>x</td></tr></table></td><td>b</td></tr>"
    table = fromstring(f"<table>{html}</table>")
    inner = next(table.iterdescendants("table"))
    rows, _ = table_rows(table, {inner: "found"}, RepeatBudget())
    assert [[cell.text for cell in row] for row in rows] == [["a found", "b"]]


def test_table_rows_hidden_rows_and_cells_are_left_out() -> None:
    html = (
        "<tr><th>a</th><th hidden>x</th><th>b</th></tr><tr hidden><td>x<td>x</tr>"
        "<tbody style='display:none'><tr><td>x</tr></tbody>"
        "<tr aria-hidden=true><td>x</tr><tr><td hidden>x<td>1</tr>"
    )
    assert _grid(html) == [["a", "b"], ["1"]]


@pytest.mark.timeout(30)
def test_table_rows_enormous_spans_lose_no_cell_and_stay_within_the_budget() -> None:
    first = f"<tr><td rowspan=65534 colspan=1000>{'x' * 900}</td><td>y</td></tr>"
    rows = _grid(first + "<tr><td>z</td></tr>" * 5000, RepeatBudget(1_000_000))
    assert len(rows) == 5001
    assert all("z" in row for row in rows[1:])
    assert sum(len(cell) for row in rows for cell in row) < 1_100_000


@pytest.mark.timeout(30)
def test_table_rows_cell_far_to_the_right_does_not_fill_every_row_with_blanks() -> None:
    first = "<tr><td colspan=999>a</td><td rowspan=65534>b</td></tr>"
    rows = _grid(first + "<tr><td>c</td></tr>" * 20_000, RepeatBudget(100_000))
    assert len(rows) == 20_001
    assert sum(map(len, rows)) < 200_000

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.html import tostring

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.tables.table_markdown import (
    MAX_SEGMENT_CHARACTERS,
    HtmlTable,
    read_tables,
)

Rows = tuple[tuple[str, ...], ...]


def _all_rows(table: HtmlTable) -> tuple[tuple[str, ...], ...]:
    return (table.header, *table.body)


def _tables(html: str) -> list[HtmlTable]:
    tree = parse_html(f"<html><body>{html}</body></html>")
    assert tree is not None
    return list(read_tables(tree).values())


def _rows(html: str) -> Rows:
    (table,) = _tables(html)
    return _all_rows(table)


def test_read_tables_spans_are_filled_in_and_header_rows_merged() -> None:
    html = (
        "<table><tr><th rowspan=2>Date</th><th colspan=2>Morning</th><th colspan=2>Evening</th>"
        "</tr><tr><th>Time</th><th>Height</th><th>Time</th><th>Height</th></tr>"
        "<tr><td rowspan=2>21 June</td><td>08:14</td><td>6.1</td><td>20:31</td><td>6.4</td></tr>"
        "<tr><td colspan=2>none</td><td>20:50</td><td>6.0</td></tr></table>"
    )
    assert _rows(html) == (
        ("Date", "Morning Time", "Morning Height", "Evening Time", "Evening Height"),
        ("21 June", "08:14", "6.1", "20:31", "6.4"),
        ("21 June", "none", "none", "20:50", "6.0"),
    )


@pytest.mark.timeout(15)
def test_read_tables_thousands_of_tables_on_a_page_are_all_found() -> None:
    table = "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"
    found = _tables("<h2>Lists</h2>" + table * 6000)
    assert len(found) == 6000
    assert {table.context for table in found} == {("Lists",)}


def test_read_tables_short_rows_are_filled_up() -> None:
    html = "<table><tr><td>a<td>b<td>c</tr><tr><td>1</tr><tr></tr><tr><td>4<td>5</tr></table>"
    assert _rows(html) == (("a", "b", "c"), ("1", "", ""), ("4", "5", ""))


def _parse_markdown(line: str) -> list[str]:
    """The cells of a line of a Markdown table, by GitHub's rule: a `|` ends a cell unless escaped
    by a backslash."""
    cells = re.findall(r"((?:\\.|[^|\\])*)\|", line)[1:]
    return [re.sub(r"\\(.)", r"\1", cell.strip()) for cell in cells]


@given(
    st.lists(
        st.lists(st.text("a|\\ -é", min_size=1, max_size=6), min_size=2, max_size=2),
        min_size=2,
        max_size=4,
    )
)
@settings(max_examples=100)
def test_markdown_any_cells_can_be_read_back(cells: list[list[str]]) -> None:
    rows = tuple(tuple(cell.strip() for cell in row) for row in cells)
    [markdown] = HtmlTable((), rows[0], rows[1:]).segments()
    lines = markdown.split("\n")
    assert len(lines) == len(rows) + 1
    assert lines[1] == "| --- | --- |"
    assert tuple(tuple(_parse_markdown(line)) for line in [lines[0], *lines[2:]]) == rows


def test_markdown_has_the_caption_above_and_escapes_pipes_and_backslashes() -> None:
    html = (
        "<table><caption>Lights of <i>the bay</i></caption><tr><th>Name</th><th>Signal</th></tr>"
        "<tr><td>Gannet\n Rock</td><td>Fl W | Horn \\ 30s</td></tr></table>"
    )
    (table,) = _tables(html)
    assert list(table.segments()) == [
        "Lights of the bay\n| Name | Signal |\n| --- | --- |\n"
        "| Gannet Rock | Fl W \\| Horn \\\\ 30s |"
    ]


def test_read_tables_hidden_rows_cells_and_text_are_left_out() -> None:
    html = (
        "<table><tr><th>a</th><th hidden>x</th><th>b</th></tr>"
        "<tr style='Display : NONE'><td>x</td><td>x</td></tr><tr hidden><td>x<td>x</tr>"
        "<tr><td>1<span style='display:none'>x</span><script>x</script> m</td>"
        "<td style='visibility: hidden'>x</td><td>2<style>x</style></td></tr></table>"
    )
    assert _rows(html) == (("a", "b"), ("1 m", "2"))


@pytest.mark.parametrize("attribute", ["hidden", "style='display:none'", "role=presentation"])
def test_read_tables_hidden_or_layout_table_is_left_out(attribute: str) -> None:
    assert _tables(f"<table {attribute}><tr><td>a<td>b</tr><tr><td>1<td>2</tr></table>") == []


_INNER = "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>"


def test_read_tables_table_inside_a_layout_table_stands_for_itself_once() -> None:
    html = f"<table><tr><td>left</td><td>{_INNER}</td></tr><tr><td>x</td><td>y</td></tr></table>"
    assert _rows(html) == (("a", "b"), ("1", "2"))


def test_read_tables_table_inside_a_data_table_is_not_in_its_cell() -> None:
    html = f"<table><tr><th>h<th>i</tr><tr><td>x</td><td>y {_INNER}</td></tr></table>"
    assert [_all_rows(table) for table in _tables(html)] == [
        (("h", "i"), ("x", "y")),
        (("a", "b"), ("1", "2")),
    ]


def test_read_tables_layout_inside_a_cell_is_the_text_of_the_cell() -> None:
    inner = "<table><tr><td>one</td></tr><tr><td>two</td></tr></table>"
    html = f"<table><tr><th>h<th>i</tr><tr><td>x</td><td>{inner}</td></tr></table>"
    assert _rows(html) == (("h", "i"), ("x", "one two"))


@pytest.mark.parametrize(
    "rows",
    [
        "",
        "<tr><td>a</td><td>b</td></tr>",
        "<tr><td>a</td></tr><tr><td>b</td></tr><tr><td>c</td></tr>",
        "<tr><th>No.</th><th>Date</th></tr><tr><td></td><td>&nbsp;</td></tr>",
        "<tr><td></td><td></td></tr><tr><td></td><td></td></tr>",
        f"<tr><td>Menu</td><td>{'word ' * 400}</td></tr><tr><td>a</td><td>b</td></tr>",
    ],
)
def test_read_tables_layout_and_empty_tables_are_left_out(rows: str) -> None:
    assert _tables(f"<table>{rows}</table>") == []


@pytest.mark.parametrize(
    ("before", "caption", "expected"),
    [
        ("<h1>One</h1><h3>Two <i>b</i></h3><p>x</p>", "", ("Two b",)),
        ("<h2>One</h2>", "<caption>Own</caption>", ("One", "Own")),
        ("<h2>One</h2>", "<caption>One</caption>", ("One",)),
        ("<h2>One</h2>", "<caption> </caption>", ("One",)),
        ("<h2>One</h2>", "<tr><th colspan=2>Title</th></tr>", ("One", "Title")),
        ("<div><h2>Deep</h2></div><div><p>x</p>", "", ("Deep",)),
        ("<h1>Page</h1><h2>Women</h2><h3>Heats</h3>", "", ("Women", "Heats")),
        ("<h1>Page</h1>", "", ("Page",)),
        ("<h2>Men</h2><h3>Heats</h3><h2>Women</h2>", "", ("Women",)),
        (
            "<h2>Men</h2><h4>First</h4><h3>Heats</h3>",
            "<caption>All</caption>",
            ("Men", "Heats", "All"),
        ),
        ("<p>x</p>", "", ()),
    ],
)
def test_read_tables_context_is_the_headings_then_caption_and_titles(
    before: str, caption: str, expected: tuple[str, ...]
) -> None:
    rows = "<tr><td>a<td>b</tr><tr><td>1<td>2</tr>"
    (table,) = _tables(f"{before}<table>{caption}{rows}</table><h2>After</h2>")
    assert table.context == expected
    assert _all_rows(table) == (("a", "b"), ("1", "2"))


def test_markdown_lines_outside_the_rows_never_look_like_rows() -> None:
    table = HtmlTable(("| a |",), ("h", "i"), (("1", "2"),), ("| note",))
    assert list(table.segments()) == ["\\| a |\n| h | i |\n| --- | --- |\n| 1 | 2 |\n\n\\| note"]


def test_segments_of_a_short_table_are_one() -> None:
    table = HtmlTable(("Title",), ("h", "i"), (("1", "2"), ("3", "4")), ("note",))
    assert list(table.segments()) == [
        "Title\n| h | i |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\nnote"
    ]


def test_segments_of_a_long_table_each_have_the_top_and_hold_every_row_once() -> None:
    body = tuple((f"name {i}", "x" * (i % 500)) for i in range(1000))
    segments = list(HtmlTable(("Title",), ("h", "i"), body, ("note",)).segments())
    assert len(segments) > 3
    top = ["Title", "| h | i |", "| --- | --- |"]
    assert all(segment.split("\n")[:3] == top for segment in segments)
    assert all(len(segment) < 1.1 * MAX_SEGMENT_CHARACTERS for segment in segments)
    assert [("note" in segment) for segment in segments[-2:]] == [False, True]
    lines = [line for segment in segments for line in segment.split("\n")[3:]]
    rows = [tuple(_parse_markdown(line)) for line in lines if line.startswith("|")]
    assert tuple(rows) == body


def test_segments_with_an_enormous_header_do_not_outgrow_the_table() -> None:
    table = HtmlTable((), ("h" * 100_000, "i"), tuple(("1" * 1000, "2") for _ in range(2000)))
    once = sum(len(cell) for row in _all_rows(table) for cell in row)
    assert sum(map(len, table.segments())) < 1.5 * once


@pytest.mark.timeout(30)
def test_read_tables_thirty_thousand_rows_are_all_there() -> None:
    rows = "".join(f"<tr><td>a{i}<td>b</tr>" for i in range(30_000))
    (table,) = _tables(f"<table>{rows}</table>")
    assert [row[0] for row in _all_rows(table)] == [f"a{i}" for i in range(30_000)]
    text = "".join(table.segments())
    assert all(f"| a{i} |" in text for i in range(0, 30_000, 2999))


@pytest.mark.timeout(30)
def test_read_tables_one_wide_row_does_not_widen_a_hundred_thousand() -> None:
    wide = "<tr>" + "<td>a" * 1000 + "</tr>"
    assert _tables(f"<table>{wide}{'<tr><td>b</tr>' * 100_000}</table>") == []


@pytest.mark.timeout(30)
def test_read_tables_tables_nested_in_tables_are_read_in_one_pass() -> None:
    deep = "<table><tr><th>a<th>b<tr><td>c<td>d" * 60 + "</table>" * 60
    assert len(_tables(deep * 300)) == 60 * 300


def test_read_tables_leaves_the_tree_as_it_was() -> None:
    tree = parse_html(f"<table>{'<tr><td>a<td>b</tr>' * 3}</table>after")
    assert tree is not None
    before = tostring(tree)
    assert len(read_tables(tree)) == 1
    assert tostring(tree) == before


def test_read_tables_cell_with_five_thousand_nested_tags_keeps_its_text() -> None:
    deep = "<b>" * 5000 + "deep" + "</b>" * 5000
    html = f"<table><tr><td>h<td>i<td>j</tr><tr><td>a {deep} z</td><td>x</td></tr></table>"
    cells = [cell for table in _tables(html) for row in _all_rows(table) for cell in row]
    # The parser gives up on depth, but what it kept is read, and nothing else is lost.
    assert {"h", "i"} <= set(cells)
    assert any(cell.startswith("a") for cell in cells)


def test_read_tables_document_order_is_kept() -> None:
    table = "<table><tr><td>{0}</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>"
    found = _tables("".join(table.format(name) for name in "xyz"))
    assert [table.header[0] for table in found] == ["x", "y", "z"]

from __future__ import annotations

import re
from html import escape

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from transforms.main_text import parse_html
from transforms.markdown_tables import MAX_COLUMNS, MAX_ROWS, HtmlTable, extract_tables

Rows = tuple[tuple[str, ...], ...]
# Text, column span, row span.
Cell = tuple[str, int, int]


def _tables(html: str) -> list[HtmlTable]:
    tree = parse_html(f"<html><body>{html}</body></html>")
    assert tree is not None
    return list(extract_tables(tree))


def _rows(html: str) -> Rows:
    (table,) = _tables(html)
    return table.rows


def _html(rows: list[list[Cell]]) -> str:
    lines = (
        "".join(f"<td colspan={w} rowspan={h}>{escape(text)}</td>" for text, w, h in row)
        for row in rows
    )
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _slots(rows: list[list[Cell]]) -> list[list[set[str]]]:
    """The HTML standard's algorithm for forming a table (section 4.9.12), literally: a slot holds
    the texts of all cells that cover it, more than one where cells overlap."""
    slots: dict[tuple[int, int], set[str]] = {}
    for y, row in enumerate(rows):
        x = 0
        for text, width, height in row:
            while (x, y) in slots:
                x += 1
            for column in range(x, x + width):
                for line in range(y, min(y + height, len(rows))):
                    slots.setdefault((column, line), set()).add(text)
            x += width
    width = max(column for column, _ in slots) + 1
    return [[slots.get((x, y), {""}) for x in range(width)] for y in range(len(rows))]


_CELL = st.tuples(st.text("abcdefgh", min_size=1, max_size=3), st.integers(1, 3), st.integers(1, 4))


@given(st.lists(st.lists(_CELL, min_size=1, max_size=4), min_size=2, max_size=6))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_extract_tables_random_spans_agree_with_the_html_standard(rows: list[list[Cell]]) -> None:
    expected = _slots(rows)
    assume(all(len(texts) == 1 for slots in expected for texts in slots))
    found = _tables(_html(rows))
    if len(expected[0]) < 2:
        assert found == []
        return
    cells = found[0].rows
    assert [len(row) for row in cells] == [len(row) for row in expected]
    assert [[{cell} for cell in row] for row in cells] == expected


@pytest.mark.parametrize(
    "rows",
    [
        [[("A", 1, 1), ("B", 1, 2)], [("C", 2, 1)], [("D", 1, 1), ("E", 1, 1)]],
        [[("A", 1, 1), ("B", 1, 3)], [("C", 3, 2)], [("D", 1, 1)], [("E", 1, 1), ("F", 1, 1)]],
        [[("A", 1, 2), ("B", 1, 1), ("C", 1, 2)], [("D", 2, 1)], [("E", 1, 1), ("F", 2, 1)]],
    ],
)
def test_extract_tables_cells_that_overlap_do_not_move_later_ones(rows: list[list[Cell]]) -> None:
    expected = _slots(rows)
    found = _rows(_html(rows))
    assert [len(row) for row in found] == [len(row) for row in expected]
    for row, slots in zip(found, expected, strict=True):
        assert all(cell in texts for cell, texts in zip(row, slots, strict=True)), (row, slots)


def test_extract_tables_spans_are_filled_in() -> None:
    html = _html(
        [
            [("Date", 1, 2), ("Morning", 2, 1), ("Evening", 2, 1)],
            [("Time", 1, 1), ("Height", 1, 1), ("Time", 1, 1), ("Height", 1, 1)],
            [("21 June", 1, 1), ("08:14", 1, 1), ("6.1", 1, 1), ("20:31", 1, 1), ("6.4", 1, 1)],
        ]
    )
    assert _rows(html) == (
        ("Date", "Morning", "Morning", "Evening", "Evening"),
        ("Date", "Time", "Height", "Time", "Height"),
        ("21 June", "08:14", "6.1", "20:31", "6.4"),
    )


def test_extract_tables_row_span_ends_with_its_group_of_rows() -> None:
    html = (
        "<table><thead><tr><th rowspan=3>A</th><th>B</th></tr></thead>"
        "<tbody><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></tbody></table>"
    )
    assert _rows(html) == (("A", "B"), ("1", "2"), ("3", "4"))


def test_extract_tables_row_span_of_zero_reaches_to_the_end() -> None:
    html = "<table><tr><th rowspan=0>A<th>B</tr><tr><td>2</tr><tr><td>4</tr></table>"
    assert _rows(html) == (("A", "B"), ("A", "2"), ("A", "4"))


@pytest.mark.parametrize("span", ["2.7", " 2", "2px"])
def test_extract_tables_span_is_read_up_to_its_digits(span: str) -> None:
    html = f"<table><tr><td colspan='{span}'>a</td></tr><tr><td>1</td><td>2</td></tr></table>"
    assert _rows(html)[0] == ("a", "a")


@pytest.mark.parametrize("span", ["", "x", "-2", "-", "0"])
def test_extract_tables_span_that_is_no_number_is_one(span: str) -> None:
    html = f"<table><tr><td colspan='{span}'>a<td>b</tr><tr><td>1</td><td>2</td></tr></table>"
    assert _rows(html) == (("a", "b"), ("1", "2"))


@pytest.mark.timeout(30)
def test_extract_tables_enormous_spans_are_bounded() -> None:
    rows = "<tr><td rowspan=100000 colspan=100000>x<td rowspan=100000>y</tr><tr><td>z</tr>" * 4000
    for table in _tables(f"<table>{rows}</table>"):
        assert len(table.rows) <= MAX_ROWS
        assert len(table.rows[0]) <= MAX_COLUMNS


@pytest.mark.timeout(15)
def test_extract_tables_thousands_of_tables_on_a_page_are_all_found() -> None:
    table = "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"
    found = _tables("<h2>Lists</h2>" + table * 6000)
    assert len(found) == 6000
    assert {table.caption for table in found} == {"Lists"}


def test_extract_tables_short_rows_are_filled_up() -> None:
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
@settings(max_examples=100, deadline=None)
def test_markdown_any_cells_can_be_read_back(cells: list[list[str]]) -> None:
    rows = tuple(tuple(cell.strip() for cell in row) for row in cells)
    lines = HtmlTable("", rows).markdown().split("\n")
    assert len(lines) == len(rows) + 1
    assert lines[1] == "| --- | --- |"
    assert tuple(tuple(_parse_markdown(line)) for line in [lines[0], *lines[2:]]) == rows


def test_markdown_has_the_caption_above_and_escapes_pipes_and_backslashes() -> None:
    html = (
        "<table><caption>Lights of <i>the bay</i></caption><tr><th>Name</th><th>Signal</th></tr>"
        "<tr><td>Gannet\n Rock</td><td>Fl W | Horn \\ 30s</td></tr></table>"
    )
    (table,) = _tables(html)
    assert table.markdown() == (
        "Lights of the bay\n| Name | Signal |\n| --- | --- |\n"
        "| Gannet Rock | Fl W \\| Horn \\\\ 30s |"
    )


def test_extract_tables_hidden_rows_cells_and_text_are_left_out() -> None:
    html = (
        "<table><tr><th>a</th><th hidden>x</th><th>b</th></tr>"
        "<tr style='Display : NONE'><td>x</td><td>x</td></tr><tr hidden><td>x<td>x</tr>"
        "<tr><td>1<span style='display:none'>x</span><script>x</script> m</td>"
        "<td style='visibility: hidden'>x</td><td>2<style>x</style></td></tr></table>"
    )
    assert _rows(html) == (("a", "b"), ("1 m", "2"))


@pytest.mark.parametrize("attribute", ["hidden", "style='display:none'", "role=presentation"])
def test_extract_tables_hidden_or_layout_table_is_left_out(attribute: str) -> None:
    assert _tables(f"<table {attribute}><tr><td>a<td>b</tr><tr><td>1<td>2</tr></table>") == []


def test_extract_tables_nested_table_stands_for_itself_once() -> None:
    inner = "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>"
    html = f"<table><tr><td>left</td><td>{inner}</td></tr><tr><td>x</td><td>y</td></tr></table>"
    assert _rows(html) == (("a", "b"), ("1", "2"))


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
def test_extract_tables_layout_and_empty_tables_are_left_out(rows: str) -> None:
    assert _tables(f"<table>{rows}</table>") == []


@pytest.mark.parametrize(
    ("before", "caption", "expected"),
    [
        ("<h1>One</h1><h3>Two <i>b</i></h3><p>x</p>", "", "Two b"),
        ("<h2>One</h2>", "<caption>Own</caption>", "Own"),
        ("<h2>One</h2>", "<caption> </caption>", "One"),
        ("<div><h2>Deep</h2></div><div><p>x</p>", "", "Deep"),
        ("<p>x</p>", "", ""),
    ],
)
def test_extract_tables_caption_is_its_own_or_the_nearest_heading_before(
    before: str, caption: str, expected: str
) -> None:
    rows = "<tr><td>a<td>b</tr><tr><td>1<td>2</tr>"
    (table,) = _tables(f"{before}<table>{caption}{rows}</table><h2>After</h2>")
    assert table.caption == expected


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("a<br>b", "a b"),
        ("<p>a</p><p>b</p>", "a b"),
        ("<p>a</p>b", "a b"),
        ("<div>a</div>b<ul><li>1</li><li>2</li></ul>c", "a b 1 2 c"),
        ("a<b>b</b>c", "abc"),
        ("  a\n\t b&nbsp;c ", "a b c"),
        ("a<!-- x -->b", "ab"),
        ("1 &lt; 2 &amp; 3", "1 < 2 & 3"),
    ],
)
def test_extract_tables_cell_text_is_one_line_with_blocks_apart(cell: str, text: str) -> None:
    html = f"<table><tr><td>h</td><td>i</td></tr><tr><td>{cell}</td><td>x</td></tr></table>"
    assert _rows(html)[1][0] == text


def test_extract_tables_cell_with_five_thousand_nested_tags_keeps_its_text() -> None:
    deep = "<b>" * 5000 + "deep" + "</b>" * 5000
    html = f"<table><tr><td>h<td>i</tr><tr><td>a {deep} z</td><td>x</td></tr></table>"
    cells = [cell for table in _tables(html) for row in table.rows for cell in row]
    # The parser gives up on depth, but what it kept is read, and nothing else is lost.
    assert {"h", "i"} <= set(cells)
    assert any(cell.startswith("a") for cell in cells)


def test_extract_tables_document_order_is_kept() -> None:
    table = "<table><tr><td>{0}</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>"
    found = _tables("".join(table.format(name) for name in "xyz"))
    assert [table.rows[0][0] for table in found] == ["x", "y", "z"]

"""Tables of data, and tables that are something else."""

from __future__ import annotations

import pytest

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.tables.table_markdown import read_tables


def _is_data(html: str) -> bool:
    tree = parse_html(f"<html><body>{html}</body></html>")
    assert tree is not None
    return bool(read_tables(tree))


_ROWS = "<tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr>"


@pytest.mark.parametrize(
    "html",
    [
        f"<nav><div><table>{_ROWS}</table></div></nav>",
        f"<div role=navigation><table>{_ROWS}</table></div>",
        f"<div role=complementary><table>{_ROWS}</table></div>",
        f"<aside><table>{_ROWS}</table></aside>",
        f"<div class='cli-modal cli-fade'><div><table>{_ROWS}</table></div></div>",
        f"<table class=cookie-row>{_ROWS}</table>",
        f"<table class='vertical-navbox nowraplinks'>{_ROWS}</table>",
        f"<table class=navbox><tr><td><table>{_ROWS}</table></td></tr></table>",
        f"<div id=sizePopup><table>{_ROWS}</table></div>",
        f"<table role=presentation>{_ROWS}</table>",
        f"<table hidden>{_ROWS}</table>",
        f"<table aria-hidden=true>{_ROWS}</table>",
    ],
)
def test_table_set_aside_by_the_page_is_left_out(html: str) -> None:
    assert not _is_data(html)


def test_table_after_a_menu_is_not_set_aside_with_it() -> None:
    assert _is_data(f"<nav><table>{_ROWS}</table></nav><div><table>{_ROWS}</table></div>")


def test_table_of_a_page_that_has_the_name_of_an_overlay_is_data() -> None:
    assert _is_data(f"<div class=modal><h1>Lamps</h1><table>{_ROWS}</table></div>")
    tree = parse_html(f"<html><body class=modal-open><table>{_ROWS}</table></body></html>")
    assert tree is not None
    assert read_tables(tree)


def test_text_set_in_columns_is_no_data_unless_a_header_marks_it() -> None:
    title = "<tr><td colspan=2>Races of the year</td></tr>"
    row = "<tr><td>1998: Michele won</td><td>1997: Davide won</td></tr>"
    assert not _is_data(f"<table>{title}{row}{title}{row.replace('19', '18')}</table>")
    header = "<tr><th>Race</th><th>Winner</th></tr>"
    assert _is_data(f"<table>{header}{title}{row}{title}{row.replace('19', '18')}</table>")


def test_unmarked_cell_that_holds_a_paragraph_is_no_data() -> None:
    post = "The lamp burns for nine nights in any weather. " * 6
    assert not _is_data(f"<table>{_ROWS}<tr><td>Ann</td><td>{post}</td></tr></table>")
    header = "<tr><th>Name</th><th>Says</th></tr>"
    assert _is_data(f"<table>{header}{_ROWS}<tr><td>Ann</td><td>{post}</td></tr></table>")


def test_menu_of_links_is_left_out() -> None:
    cells = "".join(f"<td><a href=/{name}>{name} news</a></td>" for name in "abcdef")
    assert not _is_data(f"<table><tr>{cells}</tr><tr>{cells}</tr></table>")


def test_lists_of_links_beside_their_topics_are_left_out() -> None:
    links = " ".join(f"<a href=/{name}>{name} town</a>" for name in "abcdef")
    rows = "".join(f"<tr><th>{side}</th><td>{links}</td></tr>" for side in ("North", "South"))
    assert not _is_data(f"<table>{rows}</table>")


def test_names_that_are_links_are_data_below_a_header() -> None:
    rows = "".join(
        f"<tr><td><a href=/{n}>{n} town</a></td><td><a href=/p{n}>{n} land</a></td></tr>"
        for n in "abcdef"
    )
    assert _is_data(f"<table><tr><th>Town</th><th>Province</th></tr>{rows}</table>")


def test_lists_of_links_are_data_below_a_header() -> None:
    links = " ".join(f"<a href=/{name}>{name} town</a>" for name in "abcdef")
    rows = "".join(f"<tr><td>{links}</td><td>{links}</td></tr>" for _ in range(3))
    assert _is_data(f"<table><tr><th>From</th><th>To</th></tr>{rows}</table>")


@pytest.mark.parametrize("days", [28, 31])
def test_calendar_is_left_out(days: int) -> None:
    names = "".join(f"<th>{day}</th>" for day in ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"))
    cells = ["<td></td>"] * 3 + [f"<td>{day}</td>" for day in range(1, days + 1)]
    weeks = "".join(f"<tr>{''.join(cells[i : i + 7])}</tr>" for i in range(0, len(cells), 7))
    assert not _is_data(f"<table><tr>{names}</tr>{weeks}</table>")


def test_thirty_numbered_rows_are_no_calendar() -> None:
    rows = "".join(f"<tr><td>{i}</td><td>name {i}</td><td>x</td></tr>" for i in range(1, 31))
    assert _is_data(f"<table><tr><th>#</th><th>Name</th><th>Note</th></tr>{rows}</table>")


@pytest.mark.parametrize("bullet", ["•", "»", "-"])
def test_list_with_its_bullets_in_a_column_is_left_out(bullet: str) -> None:
    rows = "".join(f"<tr><td>{bullet}</td><td>point {i}</td></tr>" for i in range(5))
    assert not _is_data(f"<table>{rows}</table>")


def test_frame_with_text_is_data_only_with_header_cells() -> None:
    cell = "<td><table><tr><td>x</td></tr></table></td>"
    rows = f"<tr><td>a</td>{cell}</tr><tr><td>b</td><td>c</td></tr><tr><td>d</td><td>e</td></tr>"
    assert not _is_data(f"<table>{rows}</table>")
    assert _is_data(f"<table><tr><th>h</th><th>i</th></tr>{rows}</table>")


@pytest.mark.parametrize(
    "cells", [f"<td>a</td><td>{'word ' * 400}</td>", f"<td colspan=2>{'word ' * 400}</td>"]
)
def test_cell_as_long_as_a_page_column_needs_header_cells_to_be_data(cells: str) -> None:
    rows = f"<tr>{cells}</tr><tr><td>b</td><td>c</td></tr><tr><td>d</td><td>e</td></tr>"
    assert not _is_data(f"<table>{rows}</table>")
    assert _is_data(f"<table><tr><th>h</th><th>i</th></tr>{rows}</table>")

"""Rows of Markdown tables: cells with offsets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.text.markdown_tables import markdown_rows

_CELLS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\n\\"), max_size=12
).map(lambda text: text.replace("|", "\\|"))


_TABLES = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(_CELLS, min_size=width, max_size=width), min_size=1, max_size=5)
)


@settings(max_examples=200)
@given(
    _TABLES,
    st.sampled_from(["", " ", "  "]),
    st.sampled_from(["---", ":-:", "-", ":--", "--:"]),
)
def test_markdown_rows_generated_table_cells_hold_their_offsets(
    rows: list[list[str]], gap: str, delimiter: str
) -> None:
    lines = [rows[0], [delimiter] * len(rows[0]), *rows[1:]]
    markdown = "\n".join("|" + "|".join(gap + cell + gap for cell in line) + "|" for line in lines)
    read = markdown_rows(markdown)
    assert [[cell.text for cell in row] for row in read] == [
        [cell.strip() for cell in row] for row in rows
    ]
    position = 0
    for cell in (cell for row in read for cell in row):
        assert position <= cell.start <= cell.end
        assert markdown[cell.start : cell.end] == cell.text
        assert cell.plain == cell.text.replace("\\|", "|")
        position = cell.end


def test_markdown_rows_escaped_bar_stays_within_its_cell() -> None:
    ((cell, other),) = markdown_rows("| a \\| b | c |")
    assert (cell.text, cell.plain, other.text) == ("a \\| b", "a | b", "c")


def test_markdown_rows_only_the_second_row_is_the_delimiter() -> None:
    read = markdown_rows("| a |\n| --- |\n| - |\n| --- |")
    assert [[cell.text for cell in row] for row in read] == [["a"], ["-"], ["---"]]


def test_markdown_rows_text_around_the_first_table_is_left_out() -> None:
    markdown = "Mountains\n\n| a |\n| --- |\n| b |\n\nMore\n\n| c |\n| --- |\n| d |"
    assert [[cell.text for cell in row] for row in markdown_rows(markdown)] == [["a"], ["b"]]


@pytest.mark.parametrize("text", ["", "No table here.", "\n\n"])
def test_markdown_rows_of_no_table_is_empty(text: str) -> None:
    assert markdown_rows(text) == []


def test_markdown_rows_escaped_backslash_is_plain_again() -> None:
    ((cell,),) = markdown_rows("| a \\\\ b \\\\\\| c |")
    assert cell.plain == "a \\ b \\| c"

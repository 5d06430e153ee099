from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from factmill.models.answering.span_scoring.row_lines import row_lines

SAILINGS = """Sailings
| Sailing | Dep. Quay | Arr. Isle | Ship |
| --- | --- | --- | --- |
| A | 07:30 | 08:25 | Dunlin |
| B | 09:40 | - | Turnstone |
| D | 15:20 | 16:15 | Dunlin |"""


def test_the_row_that_shares_words_comes_first_and_each_cell_has_its_column() -> None:
    lines = row_lines("When does sailing D get to the isle?", SAILINGS)

    assert lines is not None
    assert lines.text.split("\n")[:2] == [
        "Sailings",
        "Sailing: D; Dep. Quay: 15:20; Arr. Isle: 16:15; Ship: Dunlin.",
    ]
    assert "Arr. Isle: -" not in lines.text


def test_rows_that_fit_alike_keep_their_order() -> None:
    lines = row_lines("Which is the first boat?", SAILINGS)

    assert lines is not None
    assert [line[:10] for line in lines.text.split("\n")[1:4]] == [
        "Sailing: A", "Sailing: B", "Sailing: D",
    ]  # fmt: skip


def test_in_a_table_of_keys_and_values_the_key_is_no_answer() -> None:
    table = "Nutrition\n|  |  |\n| --- | --- |\n| Energy | 1,602 kJ |\n| Fat | 31.6 g |"
    lines = row_lines("How fat is the cheese?", table)

    assert lines is not None
    assert lines.text == "Nutrition\nFat: 31.6 g.\nEnergy: 1,602 kJ.\n"
    assert [lines.text[one.start : one.end] for one in lines.cells] == ["31.6 g", "1,602 kJ"]


def test_a_row_is_told_with_its_section_and_fits_by_its_words() -> None:
    table = (
        "Ada Quist\n|  |  |\n| --- | --- |\n| Singles | Singles |\n| Best rank | 12 |\n"
        "| Doubles | Doubles |\n| Best rank | 1 |"
    )
    lines = row_lines("What was her best rank in doubles?", table)

    assert lines is not None
    assert lines.text == "Ada Quist\nDoubles: Best rank: 1.\nSingles: Best rank: 12.\n"
    assert [lines.text[one.start : one.end] for one in lines.cells] == ["1", "12"]


def test_text_without_rows_has_no_lines() -> None:
    assert row_lines("Who?", "The mill was built in 1702.") is None
    assert row_lines("Who?", "| A | B |\n| --- | --- |") is None


def test_a_long_table_is_read_in_part_and_the_fitting_row_is_in_it() -> None:
    rows = "\n".join(f"| Bridge {n} | {1700 + n} | brick and oak |" for n in range(200))
    lines = row_lines(
        "How old is Bridge 150?", f"| Name | Built | Of |\n| --- | --- | --- |\n{rows}"
    )

    assert lines is not None
    assert lines.text.startswith("Name: Bridge 150; Built: 1850;")
    assert len(lines.text) < 700


@given(st.lists(st.lists(st.text("ab;: |\\-9", max_size=6), min_size=2, max_size=3), min_size=2))
def test_cells_stand_in_the_lines_and_in_the_table(cells: list[list[str]]) -> None:
    escaped = [[one.replace("\\", "\\\\").replace("|", "\\|") for one in row] for row in cells]
    table = "\n".join("| " + " | ".join(row) + " |" for row in escaped)

    lines = row_lines("a b 9", table)

    for one in lines.cells if lines else ():
        said = table[slice(*one.of_table)].replace("\\|", "|").replace("\\\\", "\\")
        assert lines is not None
        assert lines.text[one.start : one.end] == said

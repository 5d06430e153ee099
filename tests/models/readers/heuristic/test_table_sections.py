"""Rows below the title of a section are about what it names."""

from __future__ import annotations

import pytest

from factmill.models.readers.heuristic.table_rows import read_table


def stated(markdown: str, title: str = "") -> list[str]:
    return [one.text for one in read_table(markdown, title).statements]


def asked(markdown: str, title: str = "") -> list[tuple[str, str]]:
    return [
        (one.text, markdown[one.start : one.end]) for one in read_table(markdown, title).questions
    ]


PLAYER = """\
Ada Quist
|  |  |
| --- | --- |
| Height | 1.80 m |
| Singles | Singles |
| Highest rank | 16 |
| Doubles | Doubles |
| Highest rank | 3 |
| Best season | 1994 |"""

CAPACITY = """\
Power of Norland
| Source | 2001 | 2002 |
| --- | --- | --- |
| Capacity (MW) | Capacity (MW) | Capacity (MW) |
| Hydro | 11 | 12 |
| Wind | 1 | 2 |
| Output (GWh) | Output (GWh) | Output (GWh) |
| Hydro | 31 | 32 |"""


def test_keys_that_two_sections_have_are_stated_and_asked_with_theirs() -> None:
    assert stated(PLAYER) == [
        "Ada Quist – Height: 1.80 m",
        "Ada Quist (Singles) – Highest rank: 16",
        "Ada Quist (Doubles) – Highest rank: 3",
        "Ada Quist (Doubles) – Best season: 1994",
    ]
    questions = asked(PLAYER)
    assert ("What is the height of Ada Quist?", "1.80 m") in questions
    assert [answer for text, answer in questions if "highest rank" in text] == ["16", "3"]
    assert len({text for text, _ in questions}) == len(questions)


def test_rows_that_two_sections_have_are_told_apart() -> None:
    assert stated(CAPACITY) == [
        "Hydro (Power of Norland, Capacity (MW)) – 2001: 11; 2002: 12",
        "Wind (Power of Norland, Capacity (MW)) – 2001: 1; 2002: 2",
        "Hydro (Power of Norland, Output (GWh)) – 2001: 31; 2002: 32",
    ]


@pytest.mark.parametrize("title", ["Location", "Coat of arms", "Norland 1–2 Sudland", "x" * 90])
def test_pictures_results_and_notes_over_all_columns_are_no_titles(title: str) -> None:
    box = f"Ada Quist\n|  |  |\n| --- | --- |\n| {title} | {title} |\n| Height | 1.80 m |"

    assert stated(box) == ["Ada Quist – Height: 1.80 m"]


def test_note_on_the_row_above_is_no_title() -> None:
    table = CAPACITY.replace("| Wind |", f"|{' Wind was new in the north |' * 3}\n| Wind |")

    assert stated(table) == stated(CAPACITY)


def test_key_with_a_bullet_is_a_part_of_what_stands_above_it() -> None:
    box = (
        "Norby\n|  |  |\n| --- | --- |\n| Area | Area |\n| • Total | 9 km2 |\n"
        "| Population (2010) | 14,087 |\n| - Urban | 59.1% |\n| - Rural | 40.9% |\n"
        "| Lowest | -5 m |"
    )

    assert stated(box) == [
        "Norby – Area, Total: 9 km2",
        "Norby (Area) – Population (2010): 14,087",
        "Norby (Area) – Population (2010), Urban: 59.1%",
        "Norby (Area) – Population (2010), Rural: 40.9%",
        "Norby (Area) – Lowest: -5 m",
    ]
    assert not [text for text, _ in asked(box) if "urban" in text.lower()]


def test_what_a_thing_is_made_of_is_a_part_of_it() -> None:
    box = "Tarn Cheese\n|  |  |\n| --- | --- |\n| Fat | 32 g |\n| of which saturated | 21 g |"

    assert stated(box) == ["Tarn Cheese – Fat: 32 g", "Tarn Cheese – Fat, saturated: 21 g"]


def test_group_of_rows_below_the_header_of_their_names_is_no_value() -> None:
    table = (
        "Browsers\n| Trait | Trait | Cello |\n| --- | --- | --- |\n| Version | Version | 1 |\n"
        "| Speed | threads | No |\n| Speed | linking | Yes |\n| Speed | windows | No |"
    )

    assert stated(table) == [
        "Version (Browsers) – Cello: 1",
        "threads (Browsers, Speed) – Cello: No",
        "linking (Browsers, Speed) – Cello: Yes",
        "windows (Browsers, Speed) – Cello: No",
    ]


def test_line_about_a_medal_is_no_header() -> None:
    line = "Ada Quist\n| Gold | 1987 Seoul |\n| --- | --- |\n| Silver | 1989 Milan |"
    ranks = "Medals\n| Gold | Silver | Bronze |\n| --- | --- | --- |\n| Ada | Bo | Cy |"

    assert stated(line) == []
    assert stated(ranks) != []

"""Tables whose first row names no columns state nothing."""

import pytest

from factmill.models.readers.heuristic.table_rows import read_table
from factmill.models.readers.reading import Reading
from tests.models.readers.heuristic.made_tables import TITLE, stated, table


@pytest.mark.parametrize(
    "markdown",
    [
        table("Cookie / Duration", "functional / 11 months"),
        table("W / L / Streak", "45 / 17 / L3", "41 / 23 / W1"),
        table("EPL / Age / EPL / Age", "Sarr / 22 / Porro / 25"),
        table("+24 / Title / 17h", "+21 / Recruitment / 9h"),
    ],
)
def test_read_table_of_a_site_or_without_names_states_nothing(markdown: str) -> None:
    assert stated(markdown, "Skell") == []


@pytest.mark.parametrize(
    "header",
    ["Yes / Hai", "Flash / Yes, two", "LIXIL / Kohler", "Oslo / A town of many bridges by the sea"],
)
def test_first_line_of_two_columns_that_names_none_makes_a_web_page_s_table_silent(
    header: str,
) -> None:
    markdown = table(header, "Bergen / Bryggen", "Voss / Vangen")
    assert read_table(markdown, TITLE, "article").statements == ()
    assert stated(markdown)  # passages of a corpus come without markup, so nothing is known


@pytest.mark.parametrize("header", ["Company / Dividend", "Town / Sight", "Oslo / Population"])
def test_header_that_names_one_of_two_columns_is_a_header(header: str) -> None:
    markdown = table(header, "Bergen / Bryggen", "Voss / Vangen")
    assert len(read_table(markdown, TITLE, "article").statements) == 2


def test_columns_that_a_second_header_tells_apart_say_nothing() -> None:
    markdown = table("Firm / Test 1 / Test 1", " / Early / Late", "Lumen / 3 / 4", "Hale / 5 / 6")
    assert stated(markdown) == []


@pytest.mark.parametrize(
    "markdown",
    [
        "Key\n" + table("Sign / Meaning", "* / won", "+ / lost"),
        table("Preceded by Ann / Mayor of Lund / Succeeded by Bo", "a / b / c", "d / e / f"),
        table("Round / / Score / / Hall", "1 / Lund / 3–1 / Oslo / A", "2 / Bo / 1–1 / Ry / A"),
    ],
    ids=["legend", "offices one after the other", "matches whose teams stand below no name"],
)  # fmt: skip
def test_table_that_is_read_only_with_another_states_nothing(markdown: str) -> None:
    assert read_table(markdown, TITLE) == Reading()


def test_keys_and_values_by_turns_are_no_header() -> None:
    post = (
        "| Poster: | heron | Date: | 3 May |\n| --- | --- | --- | --- |\n"
        "| Forum: | Boats | Re: | Oars |"
    )

    assert not read_table(post, "Boats").statements


def test_keys_below_a_caption_of_metadata_are_about_the_page() -> None:
    box = "Selected Metadata\n|  |  |\n| --- | --- |\n| Publisher | Tarn Press |"

    assert [one.text for one in read_table(box, "Skell Mill").questions] == [
        "What is the publisher of Skell Mill?"
    ]

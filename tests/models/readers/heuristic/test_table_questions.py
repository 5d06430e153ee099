"""Cells are asked about where the row's name decides them."""

from __future__ import annotations

import pytest

from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.heuristic.table_questions import is_settled, names_a_thing
from factmill.models.readers.heuristic.table_rows import read_table
from factmill.models.readers.reading import PageContext
from factmill.schemas.records import Segment


def table(header: str, *rows: str) -> str:
    width = header.count("|") + 1
    lines = [header, " | ".join(["---"] * width), *rows]
    return "Norse Records\n" + "\n".join(f"| {line} |" for line in lines)


def asked(markdown: str, title: str = "Bo Ray") -> list[str]:
    return [one.text for one in read_table(markdown, title).questions]


@pytest.mark.parametrize(
    "markdown",
    [
        table("Home team | Score | Away team", "Lund FC | 2–1 | Oslo BK", "Elland | 1–1 | Tarn"),
        table("Season | Club | Goals", "1998 | Lund FC | 3", "1998 | Oslo BK | 5"),
        table("Outcome | Date | City", "Winner | 3 May 1998 | Lund", "Runner-up | 1999 | Oslo"),
    ],
)
def test_rows_of_matches_seasons_and_results_are_stated_and_not_asked_about(markdown: str) -> None:
    assert read_table(markdown, "Bo Ray").statements
    assert asked(markdown) == []


def test_rows_of_things_are_asked_about_without_the_marks_of_footnotes() -> None:
    things = table("Club | City | Stadium", "Lund FC* | Lund | Arena", "Oslo BK | Oslo | Park")

    assert asked(things) == [
        "What is the stadium of Lund FC in Norse Records, Bo Ray?",
        "What is the stadium of Oslo BK in Norse Records, Bo Ray?",
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Oslo", True),
        ("Total:", False),
        ("3 May", False),
        ("Last updated", False),
        ("12–14", False),
    ],
)
def test_totals_days_and_numbers_name_no_thing(name: str, expected: bool) -> None:
    assert names_a_thing(name) is expected


@pytest.mark.parametrize(
    ("column", "around", "expected"),
    [
        ("Last title", "Lund 1998", False),
        ("Current club", "Lund", False),
        ("Last admission", "Lund", True),
        ("Age", "Lund", False),
        ("Age", "Lund in 1998", True),
    ],
)
def test_what_changes_is_not_settled(column: str, around: str, expected: bool) -> None:
    assert is_settled(column, around) is expected


def test_keys_below_a_caption_of_results_are_told_with_it() -> None:
    box = "Bo Ray\nIndy 500 results\n|  |  |\n| --- | --- |\n| Wins | 1 |\n| Poles | 2 |"

    assert [one.text for one in read_table(box, "Bo Ray").statements] == [
        "Bo Ray (Indy 500 results) – Wins: 1",
        "Bo Ray (Indy 500 results) – Poles: 2",
    ]


def test_first_line_of_keys_is_no_header_on_a_web_page() -> None:
    text = (
        "Season\n| Head coach | Jeff Lund |\n| --- | --- |\n| Owner | Tarnvision |\n"
        "| Venue | Tarn Arena |"
    )
    segment = Segment("s", "p", 0, "table", text, "", None, None)
    read = HeuristicReader().read(segment, PageContext("Tarn Rovers", "", judged=True))

    assert [one.text for one in read.statements] == [
        "Tarn Rovers – Head coach: Jeff Lund",
        "Tarn Rovers – Owner: Tarnvision",
        "Tarn Rovers – Venue: Tarn Arena",
    ]

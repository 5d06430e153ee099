import pytest

from factmill.models.readers.heuristic.key_lines import (
    below_heading,
    described_by,
    key_value,
    may_be_asked_for,
)
from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.reading import PageContext
from factmill.schemas.records import Segment


def lines_below(text: str, heading: str) -> list[str]:
    return [text[start:].split("\n")[0] for start in sorted(below_heading(text, heading))]


def test_lines_right_below_the_heading_are_about_it() -> None:
    text = "Skell Mill\nHeight: 12 m\nOwner: Anna Lund"
    assert lines_below(text, "Skell Mill") == ["Skell Mill", "Height: 12 m", "Owner: Anna Lund"]


def test_line_below_the_name_of_the_next_card_is_not() -> None:
    text = "Skell Mill\nHeight: 12 m\nOld mill of Brenn\nOwner: Anna Lund"
    assert "Owner: Anna Lund" not in lines_below(text, "Skell Mill")


def test_author_of_a_post_has_no_lines() -> None:
    assert lines_below("Posts: 1602\nLocation: Oslo", "Mills") == []


@pytest.mark.parametrize(
    ("heading", "title", "name"),
    [
        ("Skell Mill", "Mills of Norway", "Skell Mill"),
        ("Item Number: C2-ULTRA", "Projectors", ""),
        ("Studio Headphones", "Buy Headphones at Thomas", ""),
        ("Specification:", "The best mills of 2025", ""),
        ("System Requirements", "Dota 2 on Steam", "Dota 2 on Steam"),
        ("P", "Category:Languages", ""),
        ("Best Lantern #3: Lumen X200", "The best lanterns of 2025", "Lumen X200"),
    ],
)
def test_only_a_name_is_described(heading: str, title: str, name: str) -> None:
    assert described_by(heading, title) == name


def test_reader_leaves_out_the_line_of_another_card() -> None:
    text = "Skell Mill\nHeight: 12 m\nOld mill of Brenn\nOwner: Anna Lund"
    segment = Segment("s", "p", 0, "text", text, "Skell Mill", None, None)
    reading = HeuristicReader().read(segment, PageContext("Mills of Norway"))
    assert [one.text for one in reading.statements] == ["Skell Mill – Height: 12 m"]


@pytest.mark.parametrize(
    ("line", "read"),
    [("Cup Size: Regular $9.00", False), ("Cup Size: Regular", True), ("Price: $9.00", True)],
)
def test_price_is_the_value_of_no_other_key(line: str, read: bool) -> None:
    assert (key_value(line) is not None) is read


@pytest.mark.parametrize(
    ("key", "asked"),
    [("Dividend Yield", True), ("Fuel", True), ("Rocket Fuel", False), ("FEATURE STATE", False)],
)
def test_key_that_is_a_name_is_not_asked_for(key: str, asked: bool) -> None:
    assert may_be_asked_for(key) is asked

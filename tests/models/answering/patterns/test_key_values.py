from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.patterns.key_values import key_values
from factmill.models.answering.words.asked_for import asked_for

LANTERN = "Product: Storm lantern X200\nBrand: Lumen\nSKU: 50251\nPrice: 29.00 EUR"
COURSE = "Knots 2 begins in May.\nInstructor: Ida Holm (room 4) Office hours: Monday 11-12"
HOSTS = "Oss Hosting\nPanel: Rudder\nRefunds: 7 days\nFen Hosting\nPanel: Keel"


def values(question: str, text: str, title: str = "") -> list[str]:
    return [one.text for one in key_values(asked_for(question), [Source(text, title, 0.5)])]


@pytest.mark.parametrize(
    ("question", "text", "found"),
    [
        ("What is the SKU of the X200?", LANTERN, ["50251"]),
        ("SKU of the storm lantern?", LANTERN, ["50251"]),
        ("What brand is the X200 lantern?", LANTERN, ["Lumen"]),
        ("How much is the storm lantern?", LANTERN, ["29.00 EUR"]),
        ("How much does the X200 cost?", LANTERN, ["29.00 EUR"]),
        ("How much does the X200 weigh?", LANTERN, []),
        ("How much do I save with the X200?", LANTERN, []),
        ("What is the SKU of the X300?", LANTERN, []),
        ("What is the SKU of the lantern that is not the X200?", LANTERN, []),
        ("Who teaches Knots 2?", COURSE.replace("Ida", "Always answer Ida"), []),
        ("Who teaches Knots 2?", COURSE, ["Ida Holm"]),
        ("Who is the instructor of Knots 2?", COURSE, ["Ida Holm"]),
        ("Who teaches Sails 2?", COURSE, []),
        ("Who wrote the lantern book?", "Product: Lantern book\nAuthor: Bo Rye", ["Bo Rye"]),
        ("Who is the lantern book?", "Product: Lantern book\nPrice: Ten", []),
        ("What are the refunds of Oss Hosting?", HOSTS, ["7 days"]),
        ("What is the panel of Oss Hosting?", HOSTS, []),
        ("When is the panel of Fen Hosting?", HOSTS, []),
        ("How much is the Fen lamp?", "Item: Oss oven\nPrice: 13.00\nFen lamp, red", []),
        ("How much is the Fen lamp?", "Price: 13.00\nProduct: Fen lamp", ["13.00"]),
    ],
)
def test_the_value_stands_behind_the_key_of_the_thing(
    question: str, text: str, found: list[str]
) -> None:
    assert values(question, text) == found


def test_a_thing_is_also_found_in_the_title() -> None:
    assert values("Who teaches Sails 2?", COURSE, "Sails 2") == ["Ida Holm"]
    assert values("How much is the box of the lantern?", "The box.\nPrice: 3", "Lantern") == ["3"]


def test_a_number_needs_all_words_of_the_thing_beside_it() -> None:
    asked = asked_for("How much is the box of the lantern?")
    sources = [Source(text, "Lantern", 0.5, page="1") for text in ("The box.", "A wick.\nPrice: 3")]

    assert list(key_values(asked, sources)) == []


def test_another_value_needs_them_on_its_page() -> None:
    asked = asked_for("What is the SKU of the box of the lantern?")
    box, wick = (
        Source(text, "Lantern", 0.5, page="1") for text in ("The box.", "A wick.\nSKU: 50")
    )

    assert [one.text for one in key_values(asked, [box, wick])] == ["50"]
    assert list(key_values(asked, [box._replace(page="2"), wick])) == []


def test_two_values_that_are_equally_sure_answer_nothing() -> None:
    sources = [Source(LANTERN, "", 0.5, page="1"), Source(LANTERN[:-9] + "31.00 EUR", "", 0.5)]

    assert list(key_values(asked_for("How much is the storm lantern?"), sources)) == []

"""Questions for a location, as tables of keys and values say it."""

from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.answer_extraction import extract
from factmill.models.answering.tables.asked_location import asked_location

LADY = """\
|  |  |
| --- | --- |
| Height | 2.15 m |
| Location | Long Room, bay 6 |"""


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Where is the wooden lady?", "What is the location of the wooden lady?"),
        ("Where does the lady stand?", "What is the location of the lady?"),
        ("Where in the hall is the lady kept?", "What is the location of the lady?"),
        ("Where was the lady?", ""),
        ("Where was the lady found?", ""),
        ("Where is the lady made?", ""),
        ("Where is the lady from?", ""),
        ("Where do boats land?", ""),
    ],
)
def test_only_a_question_for_where_something_is_asks_for_a_location(
    question: str, asked: str
) -> None:
    assert asked_location(question) == asked


def test_the_location_of_a_table_answers() -> None:
    page = Source(LADY, "Wooden lady of Tarn", 0.8)

    assert (
        extract("Where does the wooden lady of Tarn stand?", [page])[0].text == "Long Room, bay 6"
    )

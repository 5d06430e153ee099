"""What headings and labels say of the sentences below them."""

from __future__ import annotations

import pytest

from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.reading import PageContext, Reading
from factmill.schemas.errors import Rejected
from factmill.schemas.records import Segment


def read(text: str, heading: str = "", title: str = "Lund Archive") -> Reading:
    segment = Segment("s", "p", 0, "text", text, heading, 0, len(text))
    return HeuristicReader().read(segment, PageContext(title))


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (
            "Short Films Short films are kept in the rooms of the Lund Archive.",
            "Short films are kept in the rooms of the Lund Archive.",
        ),
        (
            "Anna Lund Bo Ray are kept in the rooms of the Lund Archive.",
            "Anna Lund Bo Ray are kept in the rooms of the Lund Archive.",
        ),
    ],
)
def test_label_that_the_sentence_says_again_is_left_out(text: str, stated: str) -> None:
    assert [one.text for one in read(text).statements] == [stated]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Duty Is Duty is a 1931 German comedy film directed by Carl Boese.", "Duty Is Duty"),
        ("New York New York is a hotel in Lund that was built by Anna Lund.", "Hotels"),
    ],
)
def test_name_that_says_words_again_is_whole(text: str, title: str) -> None:
    assert read(text, title=title).statements[0].text == text


@pytest.mark.parametrize("heading", ["References", "External links:", "See also"])
def test_section_of_references_states_nothing(heading: str) -> None:
    text = "The Lund Archive was founded by Anna Lund in 1880 and is the oldest of the country."
    assert read(text, "History").statements
    with pytest.raises(Rejected, match="no_units"):
        read(text, heading)


def test_what_somebody_is_is_asked_where_the_heading_does_not_tell_of_something_else() -> None:
    text = "Anna Lund was a painter of ships who lived in the town of Oslo in the north."
    question = "Who was Anna Lund?"
    for heading, asked in (("", [question]), ("About Anna Lund", [question]), ("Career", [])):
        assert [one.text for one in read(text, heading, "Anna Lund").questions] == asked

"""Which statements can be read by themselves, by the words that refer to others."""

import pytest

from factmill.models.readers.heuristic.self_contained import reference_fault


@pytest.mark.parametrize(
    "text",
    [
        "Anna Lund is the former wife of Tom Hale.",
        "The Pledge is based on a novel of the same name by Lund.",
        "Six-time champion Anna Lund sang in Oslo.",
        "Lund's house is named after his wife.",
    ],
)
def test_words_that_only_look_like_references_are_none(text: str) -> None:
    assert reference_fault(text, "", True) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Lund and Hale came to Oslo, and the former sang.",
        "Of Hale and Lund the former, a painter, sang.",
        "Lund left Oslo for the same reason.",
        "Six of the boats were sold in Oslo.",
    ],
)
def test_words_that_stand_for_others_are_references(text: str) -> None:
    assert reference_fault(text, "", True) == "open_reference"


@pytest.mark.parametrize(
    "text",
    ["The election was won by Anna Lund.", "Anna Lund, who won the election, sang in Oslo."],
)
def test_what_the_subject_is_called_is_no_reference(text: str) -> None:
    assert reference_fault(text, "", False, "", {"election"}) == ""
    assert reference_fault(text, "", False) == "open_reference"

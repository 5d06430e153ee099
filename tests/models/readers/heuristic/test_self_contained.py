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
        "Lund said that company cars were sold.",
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
        "Lund needed to win that game.",
        "Hale led that company as it grew.",
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


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Shares of Lumen are up 94% over the past five years.", "relative_time"),
        ("In recent weeks, Lumen sold ten ships.", "relative_time"),
        ("In May, Lumen sold ten ships.", "relative_time"),
        ("In May, after the fair of 1990, Lumen sold ten ships.", ""),
        ("In comparison, Oslo is old.", "open_reference"),
        ('"Dogs live long," Lund says."But the oldest was a Schipperke."', "cut_short"),
        ("Ultimate Ends As I said in the beginning, Oslo is old.", "speaker"),
        ("World War I began in 1914.", ""),
        ("Drew founded the company in 2013.", "open_reference"),
        ("The Oslo Fjord-based firm sold Lumen.", "open_reference"),
        ("The Oslo-based firm Lumen sold ten ships.", ""),
    ],
)
def test_what_depends_on_time_speaker_or_another_sentence(text: str, fault: str) -> None:
    assert reference_fault(text, "", False) == fault

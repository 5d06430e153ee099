from __future__ import annotations

import pytest

from factmill.models.answering.words.measures import measures_another


@pytest.mark.parametrize(
    ("question", "header", "cell", "is_another"),
    [
        ("How long is Lake Orm?", "Depth", "34 m", True),
        ("How long is Lake Orm?", "Length (km)", "9", False),
        ("How long is the film?", "Duration", "98 min", False),
        ("How long does the journey take?", "Length", "7.4 km", True),
        ("How high is Lake Orm?", "Altitude", "188 m", False),
        ("How high is the tower?", "Steps", "212", False),
        ("How wide is the tower?", "Height", "46 m", True),
        ("How far is the light seen?", "Range", "21", False),
        ("How far above the sea is the light?", "Range", "21", True),
        ("How far above the sea is the light?", "Height", "52 m", False),
        ("How many steps has the tower?", "Height", "46 m", False),
    ],
)
def test_a_header_of_another_measure_is_none_of_the_question(
    question: str, header: str, cell: str, is_another: bool
) -> None:
    assert measures_another(question, header, cell) is is_another

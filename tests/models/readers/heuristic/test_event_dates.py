"""The date of an event and its place, apart where both are sure."""

import pytest

from factmill.models.readers.heuristic.event_dates import split_event_date
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The game was played on February 4, 2018, at Lund Stadium in Bergen, Norway.",
            [
                "The game was played on February 4, 2018",
                "The game was played at Lund Stadium in Bergen, Norway",
            ],
        ),
        (
            "Tom Hale died in Oslo on 3 May 1950.",
            ["Tom Hale died on 3 May 1950", "Tom Hale died in Oslo"],
        ),
        (
            "The game was played on February 4, 2018, at Lund Stadium.",
            ["The game was played on February 4, 2018", "The game was played at Lund Stadium"],
        ),
        (
            "The fair took place at Lund Palace in May 1950.",
            ["The fair took place in May 1950", "The fair took place at Lund Palace"],
        ),
    ],
)
def test_split_event_date_place_and_date_are_two_statements(
    sentence: str, expected: list[str]
) -> None:
    assert split_by(split_event_date, sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "The film was released in Norway on 3 May 1950.",  # elsewhere on another day
        "Tom Hale was not born in Oslo on 3 May 1950.",
        "Tom Hale died in Oslo and Anna Lund was born on 3 May 1950.",
        "Tom Hale died in Oslo on 3 May 1950 or in Rome on 4 May 1950.",
        "Tom Hale died on 3 May 1950.",
        "The tower is closed on 3 May 1950 in Oslo.",
    ],
)
def test_split_event_date_what_may_be_true_of_one_alone_stays(sentence: str) -> None:
    assert split_by(split_event_date, sentence) == []

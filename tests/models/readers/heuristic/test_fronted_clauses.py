"""What stands before the subject."""

import pytest

from factmill.models.readers.heuristic.fronted_clauses import (
    split_concession,
    split_opening_gerund,
    split_opening_participle,
)
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Born and raised in Oslo, Anna Lund moved to Rome.",
            ["Anna Lund moved to Rome", "Anna Lund was born and raised in Oslo"],
        ),
        (
            "Originally scheduled to open in 1990, the tower was closed.",
            ["the tower was closed", "the tower was originally scheduled to open in 1990"],
        ),
        (
            "Born in Oslo, Anna Lund moved to Rome.",
            [
                "Anna Lund moved to Rome",
                "Anna Lund was born in Oslo",
            ],
        ),
        (
            "Born in Ocala, Florida, Lund moved to Rome.",
            [
                "Lund moved to Rome",
                "Lund was born in Ocala, Florida",
            ],
        ),
        (
            "Located on the coast, it is the main port.",
            [
                "it is the main port",
                "it is located on the coast",
            ],
        ),
        (
            "Formerly known as Kristiania, it is the main port.",
            [
                "it is the main port",
                "it was formerly known as Kristiania",
            ],
        ),
        (
            "Founded in 2011, they were a band.",
            [
                "they were a band",
                "they were founded in 2011",
            ],
        ),
    ],
)
def test_split_opening_participle_gives_statements(sentence: str, expected: list[str]) -> None:
    assert split_by(split_opening_participle, sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Founded in 1881, its campus is located in Oslo.",  # not the campus
        "Given the rain, the ship was late.",
        "Loved by children, the dog is calm.",  # is loved, or was
        "Founded in 1881, the brothers moved to Oslo.",  # "was" or "were"
        "Ned Hale, a painter, was here.",
        "Released in 1990, and sold.",
    ],
)
def test_split_opening_participle_leaves_what_it_cannot_be_sure_of(sentence: str) -> None:
    assert split_by(split_opening_participle, sentence) == []


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Although the house is old, the tower is new.",
            ["the house is old", "the tower is new"],
        ),
        ("While Oslo is large, Bergen, Lund and Voss are small.", []),
        (
            "Although she was born in Rome, Anna Lund is Danish.",
            ["Anna Lund was born in Rome", "Anna Lund is Danish"],
        ),
        ("Although it was raining, Tom Hale won the race.", []),
        ("Although she was born in Sweden, Norway was her home.", []),
        ("Although he died in 1990, Lumen released the album.", []),
        ("While he lived in Oslo, he taught art.", ["he lived in Oslo", "he taught art"]),
        ("While in Oslo, he taught art.", []),
        ("Because it is old, the tower is shut.", []),
    ],
)
def test_split_concession_states_both_clauses(sentence: str, expected: list[str]) -> None:
    assert split_by(split_concession, sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "After leaving the army in 1946, Tom Hale moved to Rome.",
            ["Tom Hale moved to Rome", "Tom Hale left the army in 1946"],
        ),
        ("After leaving it in 1946, Tom Hale moved to Rome.", []),  # leaving what?
        ("After leaving the army, the house was sold.", []),  # the house left nothing
        ("After leaving the army, Tom Hale is a painter.", []),
        ("After making a film, Tom Hale moved to Rome.", []),  # a form that no list has
    ],
)
def test_split_opening_gerund_states_both(sentence: str, expected: list[str]) -> None:
    assert split_by(split_opening_gerund, sentence) == expected

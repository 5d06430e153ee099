"""One verb with its preposition, said twice."""

import pytest

from factmill.models.readers.heuristic.repeated_prepositions import split_repeated_preposition
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The film opened in Oslo in 1990 and in Rome in 1991.",
            ["The film opened in Oslo in 1990", "The film opened in Rome in 1991"],
        ),
        (
            "The record was released on Hale Records in Oslo, on Lund Music in Rome, and on Skye.5"
            " Records in Bergen.",
            [
                "The record was released on Hale Records in Oslo",
                "The record was released on Lund Music in Rome",
                "The record was released on Skye.5 Records in Bergen",
            ],
        ),
        (
            "The club won the cup in 1990 and in 1994.",
            ["The club won the cup in 1990", "The club won the cup in 1994"],
        ),
    ],
)
def test_split_repeated_preposition_gives_statements(sentence: str, expected: list[str]) -> None:
    assert split_by(split_repeated_preposition, sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "The prize was given both in Oslo and in Rome.",
        "Skerrow is the fifth album by Lund, sold by Hale and by Berg Records.",  # by whom?
        "The club played in the north and in the south.",  # of what?
        "The film opened in Oslo and in Rome the band was cheered.",
        "The ship sailed from Oslo in 1990 and in it Tom Hale sailed.",
    ],
)
def test_split_repeated_preposition_leaves_what_it_cannot_be_sure_of(sentence: str) -> None:
    assert split_by(split_repeated_preposition, sentence) == []

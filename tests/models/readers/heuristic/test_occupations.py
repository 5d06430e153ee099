"""Occupations of a person."""

import pytest

from factmill.models.readers.heuristic.occupations import split_occupations
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Tom Hale is an actor and music video director.",
            ["Tom Hale is an actor", "Tom Hale is a music video director"],
        ),
        (
            "Tom Hale is an American singer, performer and host.",
            ["Tom Hale is an American singer", "Tom Hale is a performer", "Tom Hale is a host"],
        ),
        (
            "Tom Hale is an English actor, director and producer.",
            [
                "Tom Hale is an English actor",
                "Tom Hale is a director",
                "Tom Hale is a producer",
            ],
        ),
        (
            "Tom Hale was an actor and author of books for children.",
            [
                "Tom Hale was an actor",
                "Tom Hale was an author of books for children",
            ],
        ),
        (
            "Tom Hale is a singer and an actor.",
            [
                "Tom Hale is a singer",
                "Tom Hale is an actor",
            ],
        ),
    ],
)
def test_split_occupations_gives_statements(sentence: str, expected: list[str]) -> None:
    assert split_by(split_occupations, sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Oslo is a port and town.",  # no person
        "Tom Hale is a soul and gospel singer.",
        "Tom Hale is the director and producer of the film.",
        "Anna Lund is a mother and raised her son.",
        "They are a singer and an actor.",
    ],
)
def test_split_occupations_leaves_what_it_cannot_be_sure_of(sentence: str) -> None:
    assert split_by(split_occupations, sentence) == []

"""Verbs that share what follows them."""

import pytest

from factmill.models.readers.heuristic.shared_complements import split_shared_complement
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The film was written and directed by Tom Hale.",
            ["The film was written by Tom Hale", "The film was directed by Tom Hale"],
        ),
        (
            "The book has been edited, printed and widely sold in Oslo.",
            [
                "The book has been edited in Oslo",
                "The book has been printed in Oslo",
                "The book has been widely sold in Oslo",
            ],
        ),
        (
            "Skerrow is loosely typed and garbage-collected.",
            ["Skerrow is loosely typed", "Skerrow is garbage-collected"],
        ),
        (
            "Tom Hale was born and raised in Oslo.",
            ["Tom Hale was born in Oslo", "Tom Hale was raised in Oslo"],
        ),
    ],
)
def test_split_shared_complement_gives_statements(sentence: str, expected: list[str]) -> None:
    assert split_by(split_shared_complement, sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "The army was defeated and forced to flee.",  # only one of them is "to flee"
        "The parts were written and directed by Tom and Anna respectively.",
        "Skerrow is used and held in regard by singers.",
        "The film was written and the cast was chosen by Tom Hale.",
        "Tom Hale wrote and directed the film in Oslo.",
    ],
)
def test_split_shared_complement_leaves_what_it_cannot_be_sure_of(sentence: str) -> None:
    assert split_by(split_shared_complement, sentence) == []

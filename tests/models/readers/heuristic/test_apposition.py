"""What is said of the name at the end of a sentence."""

import pytest

from factmill.models.readers.heuristic.apposition import split_apposition
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The play was staged by Anna Lund, a Danish painter.",
            [
                "The play was staged by Anna Lund",
                "Anna Lund was a Danish painter",
            ],
        ),
        (
            "The firm moved to Bergen, a port in Norway.",
            [
                "The firm moved to Bergen",
                "Bergen is a port in Norway",
            ],
        ),
        (
            "He moved to Rome, where he taught at a school.",
            [
                "He moved to Rome",
                "In Rome, he taught at a school",
            ],
        ),
        (
            "He studied at Lund University, where he was a teacher.",
            [
                "He studied at Lund University",
                "At Lund University, he was a teacher",
            ],
        ),
    ],
)
def test_split_apposition_gives_statements(sentence: str, expected: list[str]) -> None:
    assert split_by(split_apposition, sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "The ship sank near Spain, an event that shook the town.",  # the sinking, not Spain
        "He met the king of Norway, a friend of Tom.",  # the king or Norway
        "He was seen by Tom Hale, a dog and a cat.",  # a list
        "He lived in Oslo, Norway, a cold land.",
        "In 1990, a tower fell.",
    ],
)
def test_split_apposition_leaves_what_it_cannot_be_sure_of(sentence: str) -> None:
    assert split_by(split_apposition, sentence) == []

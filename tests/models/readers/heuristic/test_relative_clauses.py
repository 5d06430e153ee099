"""Relative clauses at the end of a sentence."""

import pytest

from factmill.models.readers.heuristic.relative_clauses import split_relative
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Tom Hale is a singer from Oslo, who began his career in Rome.",
            ["Tom Hale is a singer from Oslo", "Tom Hale began his career in Rome"],
        ),
        (
            "Oslo is a large town that has a port.",
            [
                "Oslo is a large town",
                "Oslo has a port",
            ],
        ),
        (
            "Anna Lund is an English painter who became famous in Rome.",
            [
                "Anna Lund is an English painter",
                "Anna Lund became famous in Rome",
            ],
        ),
        (
            "The coast extends to Bouvet Island, which is part of Norway.",
            [
                "The coast extends to Bouvet Island",
                "Bouvet Island is part of Norway",
            ],
        ),
        (
            "The play was staged by Anna Lund, who was a painter.",
            [
                "The play was staged by Anna Lund",
                "Anna Lund was a painter",
            ],
        ),
    ],
)
def test_split_relative_gives_statements(sentence: str, expected: list[str]) -> None:
    assert split_by(split_relative, sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Tom Hale is a singer from the home of a painter who became rich in Rome.",
        "The report came out in March, which aimed to help Oslo.",
        "Oslo is the first town that was built here.",  # not the first town without it
        "Osmosis is a process that occurs in cells.",  # says too little without it
        "Oslo is a town in Norway that was founded in 1048.",  # the town or Norway
        "Oslo is a large town that painters like.",  # not its subject
        "Tom Hale saw the capital of Norway, which is a port.",  # the capital or Norway
        "Oslo is a village in Norway, which is cold.",  # the village or Norway
        "He knew the man who was there.",
    ],
)
def test_split_relative_leaves_what_it_cannot_be_sure_of(sentence: str) -> None:
    assert split_by(split_relative, sentence) == []

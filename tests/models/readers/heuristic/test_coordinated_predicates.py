"""Verb phrases with one subject: which are told apart, and what each is given."""

import pytest

from factmill.models.readers.heuristic.coordinated_predicates import split_predicates
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The tower was built in 1889, and in 1970 was given a new roof.",
            ["The tower was built in 1889", "in 1970, the tower was given a new roof"],
        ),
        (
            "Tom Hale led the club, then joined the army.",
            ["Tom Hale led the club", "Tom Hale joined the army"],
        ),
        (
            "Tom Hale ran as an outsider and narrowly defeated former captain Ola Lund.",
            ["Tom Hale ran as an outsider", "Tom Hale narrowly defeated former captain Ola Lund"],
        ),
        (
            "The line runs to Oslo and continues to Rome.",
            ["The line runs to Oslo", "The line continues to Rome"],
        ),
        (
            '"Skerrow" is a song and was sung by Tom Hale.',
            ['"Skerrow" is a song', '"Skerrow" was sung by Tom Hale'],
        ),
        (
            "Skerrow was old and was sold with its boats.",
            ["Skerrow was old", "Skerrow was sold with its boats"],
        ),
        (
            "The tower was built in 1889 and was opened in 1890.",
            [
                "The tower was built in 1889",
                "The tower was opened in 1890",
            ],
        ),
        (
            "Marie Lund was born in Oslo, and later moved to Rome.",
            [
                "Marie Lund was born in Oslo",
                "Marie Lund moved to Rome",
            ],
        ),
        (
            "She studied in Oslo and died in Rome.",
            [
                "She studied in Oslo",
                "She died in Rome",
            ],
        ),
        (
            "Marie Lund (born 1867) lived in Oslo but died in Rome.",
            [
                "Marie Lund (born 1867) lived in Oslo",
                "Marie Lund died in Rome",
            ],
        ),
        (
            "The tower was designed by Ola Berg and built by Tom Hale.",
            [
                "The tower was designed by Ola Berg",
                "The tower was built by Tom Hale",
            ],
        ),
        (
            "The harbour was opened in 1900 and attracted many ships.",
            [
                "The harbour was opened in 1900",
                "The harbour attracted many ships",
            ],
        ),
        (
            "The band has sold many records and won a prize.",
            [
                "The band has sold many records",
                "The band has won a prize",
            ],
        ),
        (
            "Tom Hale founded the club, led the team and wrote a song.",
            [
                "Tom Hale founded the club",
                "Tom Hale led the team",
                "Tom Hale wrote a song",
            ],
        ),
        (
            "In 1990, Mary Lund moved to Oslo and opened a shop.",
            [
                "In 1990, Mary Lund moved to Oslo",
                "Mary Lund opened a shop",
            ],
        ),
        (
            "The captain finds the ship and tells the crew about ships.",
            [
                "The captain finds the ship",
                "The captain tells the crew about ships",
            ],
        ),
    ],
)
def test_split_predicates_gives_statements(sentence: str, expected: list[str]) -> None:
    assert split_by(split_predicates, sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Tom Hale wrote Skerrow and sold it in 1990.",
        "Hale is based in Oslo (Norway), has three shops and employs a baker.",
        "The film was written and directed by Tom Hale.",  # the first part waits for its end
        "The band toured with and opened for Anna Lund.",  # so it does here
        "He said that the ship was lost and was sold later.",  # the rest is what he said
        "Tom Hale bought the house and the land.",
        "The ship sank when the storm came and was lost in it.",
        "Born in Oslo she moved and died in Rome.",
        "The clubs were playing in Oslo – Lund were here and were sent home.",  # behind the dash
        "Tom Hale sold the house but Anna was against it and was sad about it.",  # another subject
        "The season ended in May, and rapper Tom Hale was the winner and was given a prize.",
        "The two write up a list and want to have it printed.",  # a verb that no list has
    ],
)
def test_split_predicates_leaves_what_it_cannot_be_sure_of(sentence: str) -> None:
    assert split_by(split_predicates, sentence) == []

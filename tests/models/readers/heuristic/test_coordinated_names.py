"""Names one after the other."""

import pytest

from factmill.models.readers.heuristic.coordinated_names import split_names
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The film stars Tom Hale as Skerrow, Anna Berg as Bergen and Ola Lund as Oslo.",
            [
                "The film stars Tom Hale as Skerrow",
                "The film stars Anna Berg as Bergen",
                "The film stars Ola Lund as Oslo",
            ],
        ),
        (
            "The film stars Tom Hale and Anna Berg in the lead roles.",
            [
                "The film stars Tom Hale in the lead roles",
                "The film stars Anna Berg in the lead roles",
            ],
        ),
        (
            "Tom Hale played as a keeper for Oslo United, Lund and the Norway national team.",
            [
                "Tom Hale played as a keeper for Oslo United",
                "Tom Hale played as a keeper for Lund",
                "Tom Hale played as a keeper for the Norway national team",
            ],
        ),
        (
            "Norway includes the Hale Islands (1920) and the island of Jan Berg.",
            ["Norway includes the Hale Islands (1920)", "Norway includes the island of Jan Berg"],
        ),
        (
            "The film stars Tom Hale, Anna Berg and Ola Lund.",
            [
                "The film stars Tom Hale",
                "The film stars Anna Berg",
                "The film stars Ola Lund",
            ],
        ),
        (
            "She won a Golden Globe and a Guild Award.",
            [
                "She won a Golden Globe",
                "She won a Guild Award",
            ],
        ),
    ],
)
def test_split_names_gives_statements(sentence: str, expected: list[str]) -> None:
    assert split_by(split_names, sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "The film stars Tom Hale as her son and Anna Berg as Skerrow.",
        "The film was directed by Jim Hale starring Tom Hale, Anna Berg and Ola Lund.",
        "She visited Tom Hale, Jr. and Anna Berg.",
        "The match was held between Tom Hale and Anna Berg.",  # one match
        "The group consists of Tom Hale, Anna Berg and Ola Lund.",  # not of each
        "The book was printed by Hale and Sons.",  # one firm
        "The shop opened in Trinidad and Tobago.",  # one land
        "It was built in the Northern and Western Highlands.",
        "He gave Tom the Cup and Anna the Medal.",
        "She won both a Golden Globe and a Guild Award.",
        "The book, with people based on such figures as Tom Hale and Anna Berg.",
        "Tom Hale and Anna Berg met in Oslo.",
    ],
)
def test_split_names_leaves_what_it_cannot_be_sure_of(sentence: str) -> None:
    assert split_by(split_names, sentence) == []

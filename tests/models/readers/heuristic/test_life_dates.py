"""Dates of birth and death in brackets."""

import pytest

from factmill.models.readers.heuristic.life_dates import split_life_dates
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Tom Hale (1800–1870) was a painter.",
            ["Tom Hale was a painter", "Tom Hale was born in 1800", "Tom Hale died in 1870"],
        ),
        (
            "Tom Hale, 2nd Baron Hale (1 May 1800 – 2 June 1870) was a painter.",
            [
                "Tom Hale, 2nd Baron Hale was a painter",
                "Tom Hale was born 1 May 1800",
                "Tom Hale died 2 June 1870",
            ],
        ),
        (
            "Anna Lund (born 9 April 1867) is a singer.",
            [
                "Anna Lund is a singer",
                "Anna Lund was born 9 April 1867",
            ],
        ),
        (
            "Anna Lund (born 1867) is a singer.",
            [
                "Anna Lund is a singer",
                "Anna Lund was born in 1867",
            ],
        ),
        (
            "Anna Lund (born April 9, 1867, in Oslo, Norway) is a singer.",
            [
                "Anna Lund is a singer",
                "Anna Lund was born April 9, 1867, in Oslo, Norway",
            ],
        ),
        (
            "Tom Hale (1 May 1800 – 2 June 1870) was a painter.",
            [
                "Tom Hale was a painter",
                "Tom Hale was born 1 May 1800",
                "Tom Hale died 2 June 1870",
            ],
        ),
        (
            "Anna Lund (Danish: Ane Lund; born 9 April 1867) is a singer.",
            [
                "Anna Lund (Danish: Ane Lund) is a singer",
                "Anna Lund was born 9 April 1867",
            ],
        ),
        (
            "Anna Lund (born Ane Berg; 9 April 1867) is a singer.",
            [
                "Anna Lund (born Ane Berg) is a singer",
                "Anna Lund was born 9 April 1867",
            ],
        ),
        (
            "Anna Lund ( ; born 9 April 1867) is a singer.",
            [
                "Anna Lund is a singer",
                "Anna Lund was born 9 April 1867",
            ],
        ),
    ],
)
def test_split_life_dates_gives_statements(sentence: str, expected: list[str]) -> None:
    assert split_by(split_life_dates, sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "The battle (1 July 1916 – 18 November 1916) was a defeat.",  # nobody was born
        "Oslo (Norwegian: Kristiania) is a town.",
        "Tom Hale (1800–1870) was a king.",  # he may have reigned
        "Tom Hale met Anna Lund (born 1867) in Oslo.",
    ],
)
def test_split_life_dates_leaves_what_it_cannot_be_sure_of(sentence: str) -> None:
    assert split_by(split_life_dates, sentence) == []

"""Brackets with other names and sounds of a name."""

import pytest

from factmill.models.readers.heuristic.pronunciations import split_pronunciation
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Norway (Norwegian: Norge (Bokmål)) is a state.", "Norway is a state"),
        ("Python ([ˈpʰaɪθn̩]) is a language.", "Python is a language"),
        ("Sarajevo (pronounced SARR-ay-voh) is a city.", "Sarajevo is a city"),
        ("Etham (אֵתָם) was a place.", "Etham was a place"),
    ],
)
def test_split_pronunciation_other_names_are_left_out(sentence: str, expected: str) -> None:
    assert split_by(split_pronunciation, sentence) == [expected]


@pytest.mark.parametrize(
    "sentence",
    [
        "Tom Hale (born 9 April 1867) was a painter.",
        "The National League (NL) is a league.",
        "Norway (Norwegian: Norge; founded 872) is a state.",
        "Norway (Norwegian: Norge is a state.",
        "Norway is a state (Norwegian: Norge).",
    ],
)
def test_split_pronunciation_what_says_more_stays(sentence: str) -> None:
    assert split_by(split_pronunciation, sentence) == []

"""Participles that tell more of the subject."""

import pytest

from factmill.models.readers.heuristic.participles import (
    split_participle_clause,
    split_reduced_relatives,
)
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Skerrow is a 1974 film directed by Tom Hale.",
            [
                "Skerrow is a 1974 film",
                "Skerrow was directed by Tom Hale",
            ],
        ),
        (
            "Skerrow is a film directed by Tom Hale and starring Anna Lund.",
            [
                "Skerrow is a film",
                "Skerrow was directed by Tom Hale",
                "Skerrow stars Anna Lund",
            ],
        ),
        (
            "Skerrow is a film written by Tom Hale, directed by Anna Lund, and edited by Ola Berg.",
            [
                "Skerrow is a film",
                "Skerrow was written by Tom Hale",
                "Skerrow was directed by Anna Lund",
                "Skerrow was edited by Ola Berg",
            ],
        ),
        (
            "Voss is a village located in Norway.",
            [
                "Voss is a village",
                "Voss is located in Norway",
            ],
        ),
        (
            "Anna Lund is an English actress, best known for her films.",
            [
                "Anna Lund is an English actress",
                "Anna Lund is best known for her films",
            ],
        ),
        (
            "The cup is a contest established in 1930.",
            [
                "The cup is a contest",
                "The cup was established in 1930",
            ],
        ),
        (
            "Brass is a metal consisting of copper and zinc.",
            [
                "Brass is a metal",
                "Brass consists of copper and zinc",
            ],
        ),
    ],
)
def test_split_reduced_relatives_gives_statements(sentence: str, expected: list[str]) -> None:
    assert split_by(split_reduced_relatives, sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Skerrow is the first film directed by Tom Hale.",  # not the first film without it
        "Tom Hale is a member of a band founded by Anna Lund.",  # the band was founded
        "Skerrow is a film and a play written by Tom Hale.",
        "Skerrow is a film directed by a man that was born in Oslo.",  # the film or the man
        "Skerrow is a limited edition.",
    ],
)
def test_split_reduced_relatives_leaves_what_it_cannot_be_sure_of(sentence: str) -> None:
    assert split_by(split_reduced_relatives, sentence) == []


def test_split_reduced_relatives_comma_behind_a_name_may_tell_of_the_name() -> None:
    sentence = "The Volta is a car built by Lund, founded in 1900."
    assert (
        split_by(split_reduced_relatives, sentence)[1]
        == "The Volta was built by Lund, founded in 1900"
    )


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The ship sailed to Rome, having previously lost a mast.",
            ["The ship sailed to Rome", "The ship had previously lost a mast"],
        ),
        (
            "Tom Hale moved to Oslo, working in a bank in Bergen.",
            ["Tom Hale moved to Oslo", "Tom Hale worked in a bank in Bergen"],
        ),
        ("Tom Hale joined the army, serving until 1946.", []),
        ("Tom Hale moved to Oslo, working in a bank and writing songs.", []),
        ("Anna Lund led the club, earning her the prize.", []),
        ("The song was a hit in Norway, peaking at number 11.", []),
        (
            "The film was a success, grossing 5 million.",
            ["The film was a success", "The film grossed 5 million"],
        ),
        ("The film is a success, grossing 5 million.", []),
        ("Tom led, while Anna came second, winning silver.", []),
        ("The storm was strong, making it the worst in years.", []),
    ],
)
def test_split_participle_clause_states_what_the_subject_did(
    sentence: str, expected: list[str]
) -> None:
    assert split_by(split_participle_clause, sentence) == expected

from __future__ import annotations

import pytest

from factmill.models.answering.words.content_words import content_stems, stem


def test_forms_of_irregular_verbs_share_a_stem() -> None:
    for forms in (
        "underwrites underwrote underwritten",
        "withdraws withdrew withdrawn",
        "rode ride",
    ):
        assert len(set(map(stem, forms.split()))) == 1


@pytest.mark.parametrize(
    ("words", "stemmed"),
    [
        ("directed director directs Director's", "direct"),
        ("opened opens opening", "open"),  # a stem has four letters
        ("used", "used"),
        ("planned planner planning", "plan"),  # one letter of two
        ("billed bills", "bill"),
        ("Pratts", "pratt"),  # a name that ends in two letters
    ],
)
def test_regular_forms_share_a_stem_of_at_least_four_letters(words: str, stemmed: str) -> None:
    assert {stem(word) for word in words.split()} == {stemmed}


def test_content_stems_are_those_of_words_with_content_in_order() -> None:
    assert content_stems("Who was the director of Anna's films?") == ["direct", "anna", "film"]

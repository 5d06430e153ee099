from __future__ import annotations

import math
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.lexical.bm25 import (
    MAX_PHRASE,
    inverse_frequencies,
    length_norms,
    phrase_hashes,
    word_hash,
    word_hashes,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("... -- !", []),
        ("The Weaver's Bridge, 1742", ["the", "weaver", "s", "bridge", "1742"]),
        ("snake_case and-dashes", ["snake", "case", "and", "dashes"]),
        ("Röntgen RÖNTGEN Ro\u0308ntgen", ["rontgen"] * 3),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("ﬁn ＦＩＮ", ["fin", "fin"]),
        ("İzmir", ["izmir"]),
        # A mark that is no accent is part of its letter: without it this is another word.
        ("हिन्दी", ["हिन्दी"]),
        ("東京都 2020", ["東京", "京都", "2020"]),
        ("the 水 is", ["the", "水", "is"]),
    ],
)
def test_words_are_folded_alike(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_words_of_one_endless_word_are_bounded() -> None:
    assert words("x" * 100_000) == ["x" * 64]


@given(st.text())
def test_words_of_upper_case_and_composed_text_are_the_same(text: str) -> None:
    found = words(text)
    assert words(unicodedata.normalize("NFD", text)) == found
    assert all(word and not word.isspace() for word in found)
    assert words(" ".join(word for word in found if word.isascii())) == [
        word for word in found if word.isascii()
    ]


def test_word_hash_is_the_same_everywhere() -> None:
    assert word_hash("bridge") == 0x26C4BC17A58C0FEE
    assert word_hash("\ud800") != word_hash("\ud801")


@given(st.lists(st.sampled_from(["a", "b", "é", "1742"]), max_size=12))
def test_phrase_hashes_are_a_polynomial_of_the_words_hashes(text: list[str]) -> None:
    found = list(phrase_hashes(word_hashes(" ".join(text))))
    assert len(found) == min(MAX_PHRASE, len(text))
    for length, phrases in enumerate(found, 1):
        expected = []
        for start in range(len(text) - length + 1):
            value = 0
            for word in words(" ".join(text))[start : start + length]:
                value = (value * 0x9E3779B97F4A7C15 + word_hash(word)) % 2**64
            expected.append(value)
        assert phrases.tolist() == expected


def test_inverse_frequencies_follow_the_formula() -> None:
    found = inverse_frequencies(np.array([1, 3, 10], np.int64), 10)
    expected = [math.log(1 + (10 - n + 0.5) / (n + 0.5)) for n in (1, 3, 10)]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_length_norms_follow_the_formula() -> None:
    found = length_norms(np.array([0, 10, 40], np.int32), 20.0, k1=1.2, b=0.75)
    np.testing.assert_allclose(found, [1.2 * 0.25, 1.2 * 0.625, 1.2 * 1.75], rtol=1e-6)


def test_length_norms_of_segments_without_words_are_finite() -> None:
    assert np.isfinite(length_norms(np.zeros(3, np.int32), 0.0)).all()

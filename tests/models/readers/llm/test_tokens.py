"""Tokens and their offsets; what counts as the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.readers.llm.tokens import Tokens


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Oslo – Bergen", "oslo-bergen"),
        ("“Tarn\u00a0 Bridge”", '"Tarn Bridge".'),
        ("O’Neill", "O'Neill"),
        ("March 3, 1981", "march 3 1981"),
        ("1,000", "1000"),
        ("the U.S.", "the US"),
        ("caf\u00e9", "CAFE\u0301"),
    ],
)
def test_tokens_of_the_same_words_are_equal(one: str, other: str) -> None:
    assert Tokens(one).keys == Tokens(other).keys


@pytest.mark.parametrize(
    ("one", "other"),
    [("3.5", "35"), ("$5", "5"), ("C++", "C"), ("10:30", "1030"), ("re-sign", "resign")],
)
def test_tokens_of_different_things_differ(one: str, other: str) -> None:
    assert Tokens(one).keys != Tokens(other).keys


def test_find_gives_every_place_and_no_part_of_a_word() -> None:
    tokens = Tokens("Oslo lies at the Oslofjord, and Oslo grows.")
    assert list(tokens.find(["oslo"])) == [0, 6]
    assert list(tokens.find(["the", "oslofjord"])) == [3]
    assert list(tokens.find([])) == []


def test_scripts_without_spaces_are_compared_by_character() -> None:
    assert Tokens("東京は日本の首都です").has(Tokens("日本").keys)


@given(st.text())
def test_tokens_stand_where_they_say(text: str) -> None:
    tokens = Tokens(text)
    spans = list(zip(tokens.starts, tokens.ends, strict=True))
    assert [text[start:end] for start, end in spans] == tokens.words
    assert all(left[1] <= right[0] for left, right in zip(spans, spans[1:], strict=False))
    assert all(tokens.keys)


@pytest.mark.parametrize("piece", ["a.", "1,", "1.", "a\u0301", "$", "a a ", "'"])
def test_tokens_of_hostile_text_end(piece: str) -> None:
    """Were the time a square of the length, this would run into the suite's time limit."""
    tokens = Tokens(piece * 200_000)
    assert not tokens.has([*tokens.keys[:100_000], "z"])

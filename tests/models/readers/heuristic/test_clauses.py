"""Compound sentences: where they are split, and where they are left whole."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from factmill.models.readers.heuristic.clauses import split_clauses


def parts(sentence: str) -> list[str]:
    """The text of each clause."""
    return [sentence[start:end] for start, end in split_clauses(sentence)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The tower was built in 1889, and the lamp was lit in 1890.",
            ["The tower was built in 1889", "the lamp was lit in 1890."],
        ),
        (
            "The first flight took place in 1990 and flight tests were completed in 1991.",
            ["The first flight took place in 1990", "flight tests were completed in 1991."],
        ),
        (
            "Tom Hale was born in Oslo; he moved to Rome in 1900.",
            ["Tom Hale was born in Oslo", "he moved to Rome in 1900."],
        ),
        (
            "The old harbour closed in 1950, but Oslo has a new one.",
            ["The old harbour closed in 1950", "Oslo has a new one."],
        ),
        (
            "Oslo is the capital, while the city of Bergen is the port.",
            ["Oslo is the capital", "the city of Bergen is the port."],
        ),
        (
            "Oslo is big; Bergen is small; they are far apart.",
            ["Oslo is big", "Bergen is small", "they are far apart."],
        ),
        (
            "Anna Lund left the town and she never came back.",
            ["Anna Lund left the town", "she never came back."],
        ),
        (
            "The town has a port and the port has a light.",
            ["The town has a port", "the port has a light."],
        ),
    ],
)
def test_split_clauses_parts_with_their_own_subject_come_apart(
    sentence: str, expected: list[str]
) -> None:
    assert parts(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Tom Hale said the ship had sunk and flight tests were over.",  # he said both
        "Oils derived from plants and fruits are often used in Oslo.",
        "The army was beaten and thus were sent home to Oslo.",
        "",
        "The tower was built in 1889.",
        "When the tower fell, and the lamp was lit, they left.",
        "Although it is old, but the tower is sound.",
        "Both Tom Hale and Anna Lund were born in Oslo, and the boy was not.",
        "He said that the ship was lost, and the crew was saved.",
        "The tower that stood here was old, and the new tower was built.",
        "The keeper (who was old, and the boy was young) was happy.",
        "The keeper [the man was old; the boy was young] was happy.",
        "The tower is between the harbour and the old town, and the sea is near.",
        "Oslo and Bergen are cities in Norway.",
        "The band plays rock, and jazz too.",
        "He sold the house, the boat and the land.",
        "She met Tom Hale and Anna Lund was there.",  # whom she met may go on
        "She saw the house and the boats were lost.",  # "the house and the boats were"
        "The light failed when the storm came and the ship was lost.",
        "Tom Hale, and his brother was there.",  # the first part states nothing
        "It fell, and the lamp was lit.",  # the first part is too short to stand alone
        "The tower was built in 1889, and it was.",  # so is the second
    ],
)
def test_split_clauses_sentence_that_is_not_safe_to_split_stays_whole(sentence: str) -> None:
    assert parts(sentence) == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        '"The ship was lost, and the crew was saved by boats," said Tom Hale.',
        "“The ship was lost, and the crew was saved by boats,” said Tom Hale.",
        'Tom Hale wrote "The ship was lost; the crew was saved by boats" in 1900.',
        '"The ship was lost, and the crew was saved by boats.',
    ],
    ids=["straight quotes", "curly quotes", "quoted title", "quote left open"],
)
def test_split_clauses_quoted_speech_is_not_split(sentence: str) -> None:
    assert parts(sentence) == [sentence]


def test_split_clauses_after_a_closed_quotation_may_be_split() -> None:
    assert parts('The film "Jaws" was made in 1975, and the book was written in 1974.') == [
        'The film "Jaws" was made in 1975',
        "the book was written in 1974.",
    ]


_WORDS_AND_MARKS = (
    "The tower|the lamp|Tom Hale|Oslo|he|She|was built|is|has been|moved to Rome|and|but|, and|; "
    '|, but|, while|that|which|When|In 1990|(|)|[|]|"|“|,|.|later|then|a|of the|died|won'
).split("|")


@settings(max_examples=200)
@given(
    st.one_of(
        st.text(max_size=100),
        st.lists(st.sampled_from(_WORDS_AND_MARKS), max_size=20).map(" ".join),
    )
)
@example("moved 0 0 and moved 0 0")
def test_split_clauses_any_sentence_spans_are_in_order_and_cover_all_but_the_conjunctions(
    sentence: str,
) -> None:
    clauses = split_clauses(sentence)
    assert clauses[0][0] == 0
    assert clauses[-1][1] == len(sentence)
    for (start, end), (following, behind) in zip(clauses, clauses[1:], strict=False):
        assert start < end < following < behind
        conjunction = sentence[end:following].strip(" ,;\t\n").split()
        assert set(conjunction) <= set("and but so while whereas although though".split())
    if len(clauses) > 1:
        assert all(len(sentence[start:end].split()) >= 3 for start, end in clauses)

"""Sentences: spans that hold for any text, and the titles that do not end one."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from models.sentences import split_sentences

_PIECES = (
    'Dr.|St.|J.|No.|Oslo|it|fell|.|!|?|...|,|“|”|"|\n|\n\n|\t|\r\n| |\u00a0|\u2028|\u200b|😀'
    "|e\u0301|東京。|3.5|U.S."
).split("|")
_TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(_PIECES), max_size=40).map("".join),
    st.lists(st.sampled_from(_PIECES), max_size=40).map(" ".join),
)


def blank(text: str) -> bool:
    """Whether nothing can be seen; blingfire takes pictures of blanks for blanks too."""
    return all(c.isspace() or unicodedata.category(c) in {"Cc", "Cf"} or c in "␠␤" for c in text)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@settings(deadline=None, max_examples=300)
@given(_TEXTS)
@example("One.\x00 Two.")
@example("\ufeffOne. Two.")
def test_split_sentences_any_text_spans_are_ordered_and_leave_only_blanks(text: str) -> None:
    position = 0
    for start, end in split_sentences(text):
        assert position <= start < end <= len(text)
        assert blank(text[position:start])
        sentence = text[start:end]
        assert sentence == sentence.strip()
        assert "\n" not in sentence
        position = end
    assert blank(text[position:])


@pytest.mark.parametrize("text", ["", " ", "\n", " \n\t\n ", "\u00a0"])
def test_split_sentences_blank_text_gives_nothing(text: str) -> None:
    assert split_sentences(text) == []


def test_split_sentences_two_sentences_come_apart() -> None:
    assert sentences("The lamp was lit. It burned for years! Did it?") == [
        "The lamp was lit.",
        "It burned for years!",
        "Did it?",
    ]


def test_split_sentences_outer_white_space_is_left_out_of_the_spans() -> None:
    assert split_sentences("  One fell.  Two fell. ") == [(2, 11), (13, 22)]


def test_split_sentences_line_break_ends_a_sentence_without_full_stop() -> None:
    assert sentences("A heading\nThe lamp was\nlit.") == ["A heading", "The lamp was", "lit."]


def test_split_sentences_offsets_after_wide_characters_count_characters_not_bytes() -> None:
    assert sentences("😀 Été is new. It is old 😀. Yes.") == [
        "😀 Été is new.",
        "It is old 😀.",
        "Yes.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Smith went home.",
        "She met Prof. Lund in Oslo.",
        "The ruins of St. Olaf stand there.",
        "The book is by J. R. R. Tolkien.",
        "See Fig. 3 for the lamp.",
        "They climbed Mt. Everest.",
        "(Mr. Hale was late.)",
    ],
)
def test_split_sentences_title_or_initial_keeps_its_name(text: str) -> None:
    assert sentences(text) == [text]


def test_split_sentences_title_after_a_sentence_joins_only_its_own() -> None:
    assert sentences("He slept. Dr. Smith and Mrs. Hale came. They talked.") == [
        "He slept.",
        "Dr. Smith and Mrs. Hale came.",
        "They talked.",
    ]


def test_split_sentences_title_at_the_end_of_a_line_does_not_join_lines() -> None:
    assert sentences("Ask for Dr.\nSmith went home.") == ["Ask for Dr.", "Smith went home."]


def test_split_sentences_word_that_ends_like_a_title_ends_the_sentence() -> None:
    assert sentences("They like the west. It rains.") == ["They like the west.", "It rains."]


def test_split_sentences_decimal_number_stays_whole() -> None:
    assert sentences("It is 3.5 km long. It is old.") == ["It is 3.5 km long.", "It is old."]

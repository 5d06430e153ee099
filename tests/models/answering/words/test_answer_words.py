from __future__ import annotations

import pytest

from factmill.models.answering.words.answer_words import (
    holds_answer,
    is_no_answer,
    same_answer,
    with_signs_in_words,
)


def test_answers_are_the_same_but_for_case_marks_and_articles() -> None:
    assert same_answer("The Weaver's Bridge!", "weavers bridge")
    assert not same_answer("Weaver's Bridge", "Weaver's Bridges")


def test_an_answer_stands_in_a_text_as_whole_words() -> None:
    assert holds_answer("born in New York, 1900", "new york")
    assert not holds_answer("born in New Yorkshire", "New York")
    assert not holds_answer("anything", "the")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-12 degrees", "minus 12 degrees"),
        ("at \u221212 or -$5", "at minus 12 or minus $5"),
        ("Minus 12, negative 5", "minus 12, minus 5"),
        ("1999-2003, 12 - 14, a-1, (3)-2, -x", "1999-2003, 12 - 14, a-1, (3)-2, -x"),
        ("12% or 12 per cent or 12 percent", "12 percent or 12 percent or 12 percent"),
        ("a percentage, cents per centre", "a percentage, cents per centre"),
    ],
)
def test_signs_become_words(text: str, words: str) -> None:
    assert " ".join(with_signs_in_words(text).split()) == words


@pytest.mark.parametrize("text", ["", " ", "I don't know", "I don’t know.", "Unknown", "N/A"])
def test_ways_to_say_nothing(text: str) -> None:
    assert is_no_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "I don\u02bct know", "I do not know the answer", "I'm not sure", "Not stated",
        "The passages do not say.", "It is not known",
    ],
)  # fmt: skip
def test_other_ways_to_say_nothing(text: str) -> None:
    assert is_no_answer(text)


@pytest.mark.parametrize("text", ["no", "None of them", "Unknown Pleasures", "It is not unknown"])
def test_an_answer_says_something(text: str) -> None:
    assert not is_no_answer(text)

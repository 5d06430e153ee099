from __future__ import annotations

import pytest

from factmill.models.answering.words.answer_words import holds_answer, is_no_answer, same_answer


def test_answers_are_the_same_but_for_case_marks_and_articles() -> None:
    assert same_answer("The Weaver's Bridge!", "weavers bridge")
    assert not same_answer("Weaver's Bridge", "Weaver's Bridges")


def test_an_answer_stands_in_a_text_as_whole_words() -> None:
    assert holds_answer("born in New York, 1900", "new york")
    assert not holds_answer("born in New Yorkshire", "New York")
    assert not holds_answer("anything", "the")


@pytest.mark.parametrize("text", ["", " ", "I don't know", "I don’t know.", "Unknown", "N/A"])
def test_ways_to_say_nothing(text: str) -> None:
    assert is_no_answer(text)


@pytest.mark.parametrize("text", ["no", "None of them", "Unknown Pleasures"])
def test_an_answer_says_something(text: str) -> None:
    assert not is_no_answer(text)

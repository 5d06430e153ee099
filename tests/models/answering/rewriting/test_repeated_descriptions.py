from __future__ import annotations

import time

import pytest

from factmill.models.answering.decomposing.subquestions import SubQuestion
from factmill.models.answering.rewriting.repeated_descriptions import (
    description,
    with_answer,
    with_repeated_needs,
)


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("Who is the director of Tarn Song?", "the director of Tarn Song"),
        ("What is the name of Ann Lee's mother?", "Ann Lee's mother"),
        ("Who is Ann Lee?", ""),
        ("What is the song 'Tarn'?", ""),
        ("What is the title of the film?", ""),
        ("When was Ann Lee born?", ""),
        ("Who is  Ann \n Lee's mother  ? ", "Ann \n Lee's mother"),
    ],
)
def test_a_question_describes_what_it_asks_for(question: str, what: str) -> None:
    assert description(question) == what


def test_much_white_space_takes_no_time() -> None:
    began = time.thread_time()

    assert description(f"Who is{' ' * 2000}Ann") == ""
    assert time.thread_time() - began < 0.5  # cubic: several seconds


@pytest.mark.parametrize(
    ("question", "described", "text"),
    [
        ("Where was Ann Lee's mother born?", "Ann Lee's mother", "Where was Bo born?"),
        ("Where was the mother of Ann Lee born?", "Ann Lee's mother", "Where was Bo born?"),
        ("When is Ann Lee's mother's birthday?", "Ann Lee's mother", "When is Bo's birthday?"),
        (
            "Where was the director of the film 'Tarn' born?",
            "the director of the film Tarn",
            "Where was Bo born?",
        ),
        ("Where was [Ann Lee's mother] born?", "Ann Lee's mother", "Where was Bo born?"),
        ("Who is [Ann Lee's mother]'s son?", "Ann Lee's mother", "Who is Bo's son?"),
        ("Where was the director of [1] born?", "the director of [1]", "Where was Bo born?"),
        ("Where was Ann Lee born?", "Ann Lee's mother", "Where was Ann Lee born?"),
        (
            "Who is the director of the film Tarn?",
            "the film directed by the director of Tarn",
            "Who is the director of the film Tarn?",
        ),
        ("Where was Ann Lee born?", "", "Where was Ann Lee born?"),
    ],
)
def test_words_that_say_the_same_are_replaced(question: str, described: str, text: str) -> None:
    assert with_answer(question, described, "Bo") == text


def test_no_answer_replaces_nothing() -> None:
    question = "Where was Ann Lee's mother born?"

    assert with_answer(question, "Ann Lee's mother", "") == question


def test_a_question_that_says_an_earlier_one_again_needs_it() -> None:
    questions = [
        SubQuestion("1", "Who is Ann Lee's mother?"),
        SubQuestion("2", "Where was Ann Lee's mother born?"),
        SubQuestion("3", "Where was Ann Lee born?"),
    ]

    assert [one.needs for one in with_repeated_needs(questions)] == [(), ("1",), ()]

"""A question in the words of the page that is found."""

from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.answer_extraction import extract
from factmill.models.answering.calibration import MIN_CONFIDENCE, confidence_of
from factmill.models.answering.sentences.in_other_words import in_words_of_page

HALL = Source(
    "The hall was built in 1742. It has belonged to the Fry family since 1910, and it is led by "
    "Ann Lee. The steam engines stand in the yard. It has 38 employees.",
    "Tarn Hall",
    0.8,
    page="hall",
)
MILL = Source(
    "The mill of Oss was erected in 1801. It was built of oak, and its works stand in the yard.",
    "Oss Mill",
    0.7,
)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("In which year was Tarn Hall erected?", "In which year was Tarn Hall built?"),
        ("Who is the boss of Tarn Hall?", "Who is the led of Tarn Hall?"),
        ("Who runs Tarn Hall?", "Who led Tarn Hall?"),
        ("Where are the locomotives of Tarn Hall?", "Where are the engines of Tarn Hall?"),
        ("What is the oldest locomotive of Tarn Hall?", "What is the oldest engine of Tarn Hall?"),
        ("How many people work at Tarn Hall?", "How many employees at Tarn Hall?"),
        # A word of the same stem is another one.
        ("How many employees has the mill of Oss?", "How many employees has the mill of Oss?"),
        # What the page says stays, and so does a word that nothing there means.
        ("When was the mill of Oss erected?", "When was the mill of Oss erected?"),
        ("When was Tarn Hall closed?", "When was Tarn Hall closed?"),
        ("Which train runs to Tarn Hall?", "Which train runs to Tarn Hall?"),
        # No page has the name.
        ("When was Lund Hall erected?", "When was Lund Hall erected?"),
    ],
)
def test_words_of_the_page_stand_for_those_that_it_does_not_have(question: str, asked: str) -> None:
    assert in_words_of_page(question, [HALL, MILL]) == asked


def test_a_question_without_a_name_is_asked_in_the_words_of_the_first_page_only() -> None:
    first = Source("The mill was built in 1801.", "Oss Mill", 0.8, page="mill")
    question = "Where are the locomotives?"

    assert in_words_of_page(question, [HALL, first]) == "Where are the engines?"
    assert in_words_of_page(question, [first, HALL]) == question


def test_a_long_question_keeps_its_words() -> None:
    question = f"In which year was Tarn Hall erected, {'please ' * 200}tell me?"

    assert in_words_of_page(question, [HALL]) == question


def test_a_number_asked_for_by_its_noun_stays_one() -> None:
    town = Source("Oss has 41,300 inhabitants, a third of whom live at the quay.", "Oss", 0.8)
    question = "What is the population of Oss?"

    assert in_words_of_page(question, [town]) == "What is the number of inhabitants of Oss?"
    assert extract(question, [town])[0].text == "41,300"


@pytest.mark.parametrize(
    ("question", "answer"),
    [("How many people work at Tarn Hall?", "38"), ("Who is the boss of Tarn Hall?", "Ann Lee")],
)
def test_a_question_in_other_words_is_answered(question: str, answer: str) -> None:
    best = extract(question, [HALL])[0]

    assert best.text == answer
    assert confidence_of(best.score, best.origin) >= MIN_CONFIDENCE

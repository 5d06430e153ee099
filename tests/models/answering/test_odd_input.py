"""Questions and texts of odd shape are answered or not, without an error and in bounded time."""

from __future__ import annotations

import time

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.decomposing.local_decomposer import local_plan
from factmill.models.answering.relations.relation_table import BY_NAME
from factmill.models.answering.tables.answers_in_tables import answers_in_tables
from factmill.models.answering.tables.cell_values import cell_value
from factmill.models.answering.tables.question_patterns import number_in
from factmill.models.answering.words.countries import named_countries
from factmill.models.answering.words.dates_and_numbers import number_of


def test_drawing_of_bars_is_no_table() -> None:
    drawing = "The water flows into the tank:\n|\n|\n|\nv\nTank"

    assert answers_in_tables("What is in the tank?", [Source(drawing, "Tank", 0.5)]) == []


@pytest.mark.parametrize(
    "question",
    ["Who directed [REC], and when was it released?", "Who sang Tarn, and did it reach #1?"],
)
def test_what_looks_like_a_reference_to_an_answer_is_a_word(question: str) -> None:
    (only,) = local_plan(question).questions

    assert only.question == question
    assert only.needs == ()


def test_letters_and_digits_of_other_forms_are_words() -> None:
    assert [country for _, _, country in named_countries("Tahran, İran; Iran")] == ["iran"]
    assert number_of("ſix") == 6
    assert cell_value("²²²²").number is None
    round_one = "Cup\n| Round | Winner |\n| --- | --- |\n| 1 | Lund |\n| 2 | Oslo |"
    for mark in "①²":
        answers_in_tables(f"Who was the winner of round {mark}?", [Source(round_one, "Cup", 0.5)])


def test_numbers_without_end_are_none() -> None:
    assert cell_value("9" * 5000).number is None
    assert number_in("9" * 400) is None


def test_index_of_letters_is_searched_in_no_time() -> None:
    index = "Index: " + "-".join("ABCDEFGHIJKLMNOPQRSTUVWXYZ") + " director " + "Ab-" * 60
    begun = time.process_time()
    for name in ("director", "performer"):
        list(BY_NAME[name].stated(index))

    assert time.process_time() - begun < 2

"""What the strategy `hybrid` concludes from the value of a table."""

from __future__ import annotations

import pytest

from factmill.models.answering.words.answer_words import DONT_KNOW
from tests.runtime.answers.hybrid_llm import STATIC, ask, said


@pytest.mark.parametrize(
    ("expression", "answer", "text"),
    [
        ("12500 - 9000", "-3,500", DONT_KNOW),
        ("9000 - 12500", "3,500", DONT_KNOW),
        ("9000 - 12500", "minus 3500 boats", "minus 3500 boats"),
    ],
)
def test_a_calculation_holds_a_number_with_its_sign(
    expression: str, answer: str, text: str
) -> None:
    found, _ = ask(
        "How many more boats did Quenby Lock raise in 1901 than Ardith Lock?",
        attributes=[STATIC], calculate=[{"expressions": [expression, expression]}],
        knowledge=[{"statements": []}], answer=[said(answer, [1, 2])],
    )  # fmt: skip

    assert found.text == text


@pytest.mark.parametrize(
    ("cell", "answer", "text"),
    [
        ("12,345 Steps", "12345", "12345"),
        ("64% Lock", "64.0", "64.0"),
        ("$5 Lock", "6", DONT_KNOW),
        ("1861-10-14 Lock", "1862", DONT_KNOW),
        ("-5 Lock", "-5.0", "-5.0"),
    ],
)
def test_a_value_that_starts_with_a_number_holds_that_number(
    cell: str, answer: str, text: str
) -> None:
    rows = f"| {cell} | 12,500 |\n| Ardith Lock | 9,000 |"
    found, llm = ask(
        "Which is the highest boats raised of all locks?",
        pages={"Boats": f"Boats of all locks\n| Lock | Boats raised |\n| --- | --- |\n{rows}"},
        attributes=[STATIC], calculate=[{"expressions": []}], knowledge=[{"statements": []}],
        answer=[said(answer, [1])],
    )  # fmt: skip

    assert f"in 2 of 2 rows: {cell}" in llm.prompts[-1]
    assert found.text == text


def test_what_only_a_table_holds_is_cited_by_its_cells() -> None:
    rows = "| Quenby Lock | 12,500 |\n| Ardith Lock | 9,000 |"
    found, _ = ask(
        "How many boats did all locks raise?",
        pages={
            "Boats": f"Boats of all locks\n| Lock | Boats raised |\n| --- | --- |\n{rows}",
            "Canal": "The locks of the canal raise boats.",
        },
        attributes=[STATIC], calculate=[{"expressions": []}], knowledge=[{"statements": []}],
        answer=[said("21,500", [1])],
    )  # fmt: skip

    assert found.text == "21,500"
    assert [one.quote for one in found.citations] == ["12,500", "9,000"]


def test_a_calculation_holds_a_number_that_has_more_digits_than_a_float() -> None:
    boats = {"Quenby Lock": "9,007,199,254,740,990", "Ardith Lock": "3"}
    found, _ = ask(
        "How many boats did Quenby Lock and Ardith Lock raise in total?",
        pages={lock: f"{lock} raised {number} boats." for lock, number in boats.items()},
        attributes=[STATIC], calculate=[{"expressions": ["9007199254740990 + 3"] * 2}],
        knowledge=[{"statements": []}], answer=[said("9,007,199,254,740,993 boats", [1, 2])],
    )  # fmt: skip

    assert found.text == "9,007,199,254,740,993 boats"

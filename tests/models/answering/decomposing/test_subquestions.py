from __future__ import annotations

from typing import Any

import pytest

from factmill.models.answering.decomposing.subquestions import (
    BadDecomposition,
    SubQuestion,
    read_decomposition,
    waves,
)


def question(name: Any, text: Any, needs: Any = ()) -> dict[str, Any]:
    return {"id": name, "question": text, "needs": needs if isinstance(needs, str) else list(needs)}


def read(*questions: Any) -> tuple[SubQuestion, ...]:
    return read_decomposition({"questions": list(questions)})


def test_questions_come_after_those_they_need() -> None:
    read_ones = read(
        question("b", "When was [a] born?", ["a"]), question("a", "Who directed Jaws?")
    )

    assert [one.question for one in read_ones] == ["Who directed Jaws?", "When was [2] born?"]
    assert read_ones[1].needs == ("2",)


def test_an_answer_that_a_question_names_is_needed_whether_listed_or_not() -> None:
    (_, second, third) = read(
        question(1, "Who directed Jaws?"),
        question(2, "When was [1] born?"),
        question("3", "Who was born on #2?", "2"),
    )

    assert (second.id, second.needs) == ("2", ("1",))
    assert third.needs == ("2",)


def test_a_number_in_brackets_that_is_no_question_is_text() -> None:
    (only,) = read(question("1", "What does the map [7] show?"))

    assert (only.question, only.needs) == ("What does the map [7] show?", ())


@pytest.mark.parametrize(
    "names", [("decompose", "answer"), ("[]", "1-relevance"), ("q2", "a]]\nx")]
)
def test_ids_that_an_llm_chose_become_numbers(names: tuple[str, str]) -> None:
    read_ones = read(question(names[0], "Who?"), question(names[1], "Where?", [names[0]]))

    assert read_ones == (SubQuestion("1", "Who?"), SubQuestion("2", "Where?", ("1",)))


def test_texts_name_numbers_too_and_other_brackets_stay_apart_from_them() -> None:
    read_ones = read(
        question("q7", "Who made Jaws?"), question("b", "Where on map [1] or [9] was [q7] born?")
    )

    assert read_ones[1] == SubQuestion("2", "Where on map (1) or [9] was [1] born?", ("1",))


@pytest.mark.parametrize(
    ("questions", "why"),
    [
        ([question("1", "Who?", ["2"])], "needs 2, which is missing"),
        ([question("1", "Who is [1]?")], "circle"),
        ([question("1", "[2]?"), question("2", "[3]?"), question("3", "[1]?")], "circle"),
        ([question("1", "Who?"), question(1, "Where?")], "same id"),
        ([question("1", "")], "question"),
        ([question("1", "x" * 501)], "500 characters"),
        ([question(True, "Who?")], "id"),
        ([question("1", "Who?", [None])], "needs"),
        (["Who?"], "an object"),
        ([question(str(n), "Who?") for n in range(9)], "more than 8"),
        ([], "not empty"),
    ],
)
def test_what_cannot_be_answered_in_order_is_refused(questions: list[Any], why: str) -> None:
    with pytest.raises(BadDecomposition, match=why):
        read(*questions)


def test_waves_hold_all_that_is_ready() -> None:
    questions = [
        SubQuestion("4", "", ("2", "3")), SubQuestion("1", ""), SubQuestion("2", "", ("1",)),
        SubQuestion("3", ""),
    ]  # fmt: skip

    assert [[one.id for one in wave] for wave in waves(questions)] == [["1", "3"], ["2"], ["4"]]

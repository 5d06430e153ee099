"""A role of several relations is asked for one relation at a time."""

from __future__ import annotations

import pytest

from factmill.models.answering.decomposing.relation_steps import with_relation_steps
from factmill.models.answering.decomposing.subquestions import SubQuestion, single, waves

Texts = list[tuple[str, str]]


def _steps(whole: str, *questions: tuple[str, str, tuple[str, ...]]) -> Texts:
    steps = with_relation_steps([SubQuestion(*one) for one in questions], whole)
    assert [one for wave in waves(steps) for one in wave]  # every need is there
    return [(one.id, one.question) for one in steps]


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("Who is the maternal grandmother of Ann Lee?", "mother", "mother"),
        ("Who is Ann Lee's paternal grandmother?", "father", "mother"),
        ("Who was Ann Lee's father-in-law?", "spouse", "father"),
        ("What is the name of Ann Lee's sister-in-law?", "sibling", "spouse"),
    ],
)
def test_the_last_step_keeps_the_id(question: str, first: str, second: str) -> None:
    assert _steps(question, ("1", question, ())) == [
        ("1a", f"Who is the {first} of Ann Lee?"),
        ("1", f"Who is the {second} of [1a]?"),
    ]


@pytest.mark.parametrize(
    "question", ["Who is Ann Lee?", "Who is Ann Lee's mother?", "When did Ann Lee's uncle die?"]
)
def test_other_questions_stay(question: str) -> None:
    assert with_relation_steps(single(question), question) == list(single(question))


def test_needs_are_those_of_the_question_and_of_the_step_before() -> None:
    asked = [
        SubQuestion("1", "Who is Ann Lee?"),
        SubQuestion("2", "Who is the grandson of this person?", ("1",)),
    ]

    _, first, last = with_relation_steps(asked, "Who is Ann Lee's grandson?")

    assert (first.question, first.needs) == ("Who is the child of this person?", ("1",))
    assert (last.question, last.needs) == ("Who is the child of [2a]?", ("1", "2a"))


def test_a_first_step_that_the_plan_has_is_not_taken_twice() -> None:
    mother = ("1", "Who is Ann Lee's mother?", ())
    whole = "Where was the maternal grandmother of Ann Lee born?"

    of_mother = _steps(whole, mother, ("2", "Who is the maternal grandmother of [1]?", ("1",)))
    of_name = _steps(whole, mother, ("2", "Who is the maternal grandmother of Ann Lee?", ()))

    assert of_mother[1:] == of_name[1:] == [("2", "Who is the mother of [1]?")]


def test_a_question_for_both_relatives_takes_all_steps() -> None:
    whole = "Who is the maternal grandmother of Ann Lee's mother?"

    steps = _steps(
        whole,
        ("1", "Who is Ann Lee's mother?", ()),
        ("2", "Who is the maternal grandmother of [1]?", ("1",)),
    )

    assert [text for _, text in steps[1:]] == [
        "Who is the mother of [1]?",
        "Who is the mother of [2a]?",
    ]


def test_a_mother_in_law_is_no_mother() -> None:
    whole = "Who is the maternal grandfather of Ann Lee's mother-in-law?"

    steps = _steps(
        whole,
        ("1", "Who is Ann Lee's mother-in-law?", ()),
        ("2", "Who is the maternal grandfather of [1]?", ("1",)),
    )

    assert [one for one, _ in steps] == ["1a", "1", "2a", "2"]


def test_a_first_step_that_the_question_repeats_in_words_is_not_taken_twice() -> None:
    mother = ("1", "Who is Ann Lee's mother?", ())

    steps = _steps(
        "Who is the maternal grandmother of Ann Lee?",
        mother,
        ("2", "Who is the maternal grandmother of Ann Lee's mother?", ()),
    )

    assert steps == [mother[:2], ("2", "Who is the mother of [1]?")]

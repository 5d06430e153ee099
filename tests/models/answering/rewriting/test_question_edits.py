"""Edits that put an answer into a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.answering.rewriting.question_edits import (
    QuestionEdit,
    common_forms,
    edit_between,
    edited,
    word_spans,
)

FILM = "When did this film premiere?"


@pytest.mark.parametrize(
    ("question", "answer", "rewritten", "edit"),
    [
        (FILM, "Jaws", "When did Jaws premiere?", QuestionEdit(2, 4, "{A}")),
        (FILM, "Jaws", "When did the film Jaws premiere?", QuestionEdit(2, 4, "the film {A}")),
        ("Who is his wife?", "Ray", "Who is Ray's wife?", QuestionEdit(2, 3, "{A}'s")),
        ("What eats it?", "Right whale", "What eats right whale?", QuestionEdit(2, 3, "{a}")),
        ("Who won in this year?", "In 1924", "Who won in 1924?", QuestionEdit(2, 5, "{a}")),
        ("Are they old?", "The Mills", "Are those Mills old?", QuestionEdit(1, 2, "those {-A}")),
        ("Who was elected?", "Rome", "Who was elected in Rome?", QuestionEdit(3, 3, "in {A}")),
        ("Who is he?", "Ray", "Who is Ray, the king?", QuestionEdit(2, 3, "{A}, the king")),
        ("Is it old?", "Rome", "Rome is old.", QuestionEdit(0, 4, "{A} is old.")),
        ("When did it end?", "Jaws", "When did the film end?", None),
        (FILM, "Jaws", FILM, None),
    ],
)
def test_edit_between_is_the_smallest_that_makes_the_rewritten_question(
    question: str, answer: str, rewritten: str, edit: QuestionEdit | None
) -> None:
    assert edit_between(question, answer, rewritten) == edit
    if edit is not None:
        assert edited(question, answer, edit) == rewritten


@given(
    st.lists(st.sampled_from(["who", "is", "the", "Ray", "it", ",", "?"]), min_size=1, max_size=6),
    st.data(),
)
def test_edit_between_finds_what_an_edit_made(words: list[str], data: st.DataObject) -> None:
    question = " ".join(words)
    count = len(word_spans(question))
    first = data.draw(st.integers(0, count))
    end = data.draw(st.integers(first, count))
    form = data.draw(st.sampled_from(["{A}", "the {A}", "{A}'s", "{a}", "{-A}"]))
    rewritten = edited(question, "In Rome", QuestionEdit(first, end, form))
    found = edit_between(question, "In Rome", rewritten)
    assert found is None or edited(question, "In Rome", found) == rewritten


def test_edited_of_an_answer_without_such_a_form_is_the_answer_as_it_is() -> None:
    assert edited(FILM, "1924", QuestionEdit(2, 4, "{-A}")) == "When did 1924 premiere?"
    assert edited(FILM, "X{-A}", QuestionEdit(2, 4, "{A}")) == "When did X{-A} premiere?"


def test_common_forms_are_those_that_are_used_often_enough() -> None:
    edits = [QuestionEdit(0, 1, form) for form in ("{A}", "b {A}", "{A}", "c {A}", "c {A}")]
    assert common_forms(edits, 9, 2) == ["{A}", "c {A}"]
    assert common_forms(edits, 1, 1) == ["{A}"]

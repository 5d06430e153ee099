"""Yes or no about a thing that another sentence names or describes."""

from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.closed.closed_answers import closed_answers
from factmill.models.answering.words.asked_for import asked_for


def said(question: str, text: str) -> str:
    found = closed_answers(asked_for(question), [Source(text, "", 0.5)])
    return found[0].text if found else ""


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "Did keeper Ann Lee marry?",
            "The keeper, Ann Lee, was born in Oss. Ann Lee never married.",
            "no",
        ),
        ("Did keeper Ann Lee marry?", "Ann Lee was a baker. Ann Lee never married.", ""),
        (
            "Do I have to pay to get into the Fell Fair in Oss?",
            "We came to Oss for the Fell Fair. There was rain. Entry to the Fell Fair is free.",
            "no",
        ),
        ("Do you pay to enter the Fell Fair in Oss?", "The Fell Fair in Elland is free.", ""),
    ],
)
def test_a_description_may_stand_in_another_sentence(question: str, text: str, answer: str) -> None:
    assert said(question, text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The Otter was built in Oss. She came to Tarn in 1908. The ship can carry cars.", "yes"),
        ("The Otter was built in Oss. The Swan is new. The ship can carry cars.", ""),
        ("The Otter met the Swan. She came to Tarn in 1908. The Swan can carry cars.", ""),
    ],
)
def test_the_thing_that_was_named_last_is_meant(text: str, answer: str) -> None:
    assert said("Can the Otter carry cars?", text) == answer


def test_none_is_said_of_what_the_question_above_asks() -> None:
    text = (
        "Is there Wi-Fi on the ships?\nThere is Wi-Fi on the Swan. It is slow. The Otter has none."
    )

    assert said("Is there Wi-Fi aboard the Otter?", text) == "no"
    assert said("Is there Wi-Fi aboard the Heron?", text) == ""

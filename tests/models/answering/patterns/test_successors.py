"""Who came before and after somebody in an office."""

from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.answer_extraction import extract
from factmill.models.answering.calibration import MIN_CONFIDENCE, confidence_of
from factmill.models.answering.patterns.successors import successors
from factmill.models.answering.words.asked_for import asked_for

NAND = "Priya Nand has been mayor since 2022; she succeeded Walter Quill, who had three terms."
LEE = "Ann Lee led the mill of Oss. In 1950 she was replaced by the engineer Bob Fry."


def persons(question: str, text: str, title: str = "Oss") -> list[str]:
    return [one.text for one in successors(asked_for(question), [Source(text, title, 0.8)])]


@pytest.mark.parametrize(
    ("question", "text", "answers"),
    [
        ("Who was mayor of Oss before Priya Nand?", NAND, ["Walter Quill"]),
        ("Who succeeded Walter Quill?", NAND, ["Priya Nand"]),
        ("Who took over from Walter Quill as mayor?", NAND, ["Priya Nand"]),
        ("Who was Priya Nand's predecessor?", NAND, ["Walter Quill"]),
        ("Who succeeded Priya Nand?", NAND, []),
        ("Who led the mill after Ann Lee?", LEE, ["Bob Fry"]),
        ("By whom was Ann Lee replaced?", LEE, ["Bob Fry"]),
        ("Whom did Bob Fry replace?", LEE, ["Ann Lee"]),
        ("Who led the mill before Ann Lee?", LEE, []),
        ("Who led the mill of Lund after Ann Lee?", LEE, []),
        ("Who was mayor before the war?", NAND, []),
        # A country is no person.
        ("Who succeeded Germany?", "Ann Lee led it. Denmark succeeded Germany.", []),
    ],
)
def test_one_of_two_persons_in_an_office_answers(
    question: str, text: str, answers: list[str]
) -> None:
    assert persons(question, text) == answers


def test_whoever_came_before_is_not_the_answer_to_who_came_after() -> None:
    found = extract("Who succeeded Priya Nand as mayor of Oss?", [Source(NAND, "Oss", 0.8)])
    likely = [one for one in found if confidence_of(one.score, one.origin) >= MIN_CONFIDENCE]

    assert "Walter Quill" not in [one.text for one in likely]

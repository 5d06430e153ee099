"""Yes or no where a sentence says "only", is about some, or leaves it open."""

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
        ("Are dogs allowed in the hall?", "Only assistance dogs are allowed in the hall.", "no"),
        ("Are assistance dogs allowed there?", "Only assistance dogs are allowed there.", "yes"),
        ("Were dogs seen in the hall?", "Only two dogs were seen in the hall.", "yes"),
        ("Does the desk accept cards?", "The desk accepts only cash.", "no"),
        ("Does the desk take cash?", "The desk takes cards only.", "no"),
        ("Does the desk sell cards?", "The desk accepts only cash.", ""),
        ("Is the tour held in German?", "The tour is held only in English.", "no"),
        ("Is the tour popular?", "The tour is held only in English.", ""),
    ],
)
def test_only_excludes_the_others(question: str, text: str, answer: str) -> None:
    assert said(question, text) == answer


def test_what_is_so_for_an_age_is_not_so_for_all() -> None:
    assert (
        said("Do children pay on the Otter?", "Children under five travel free on the Otter.") == ""
    )
    assert said("Do children under five pay?", "Children under five travel free.") == "no"


def test_a_clause_about_another_thing_says_nothing() -> None:
    text = "The desk takes cash, but the machine takes cards."

    assert said("Does the machine take cash?", text) == ""
    assert said("Does the machine take cards?", text) == "yes"


@pytest.mark.parametrize(
    "text",
    [
        "The aim was to determine whether the mill burned.",
        "It is unclear whether the mill burned.",
        "The mill is said to have burned.",
        "The mill might have burned.",
    ],
)
def test_what_is_left_open_is_not_said(text: str) -> None:
    assert said("Did the mill burn?", text) == ""
    assert said("Did the mill burn?", "The mill burned.") == "yes"

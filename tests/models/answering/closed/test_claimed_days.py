"""Yes or no where a question names days of the week or months."""

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
        ("Is the shop open on Mondays?", "The shop is open from Tuesday to Sunday.", "no"),
        ("Is the shop open on a Saturday?", "The shop is open Tue-Sun, 10:00 to 16:00.", "yes"),
        ("Is the shop open on Mondays?", "The shop is open daily except Mondays.", "no"),
        ("Is the shop open on Tuesdays?", "The shop is open daily except Mondays.", "yes"),
        ("Is the shop open on Sunday?", "The shop is closed on Sundays and Mondays.", "no"),
        ("Is the shop open on Fridays?", "The shop is closed on Sundays and Mondays.", ""),
        ("Is the shop open on Fridays?", "The shop is open on Mondays and Thursdays.", "no"),
        ("Is the shop open at weekends?", "The shop is open Monday to Friday.", "no"),
        ("Is the shop closed on Mondays?", "The shop is open daily.", "no"),
        ("Is the shop closed on Mondays?", "The shop is open from Tuesday to Sunday.", "yes"),
        ("Can I visit the shop on Monday?", "The shop is closed on Mondays.", "no"),
        ("Does the boat sail on Sundays?", "The boat sails daily, but not on Sundays.", "no"),
        (
            "Is the market held on Thursdays?",
            "The town got a charter in 1283, and the market has been held on Thursdays since.",
            "yes",
        ),
        ("Is the mill open in winter?", "The mill is open only in summer.", "no"),
        ("Does the boat sail in December?", "The boat sails from 1 April to 30 October.", "no"),
        ("Does the boat sail in May?", "The boat sails from April to October.", "yes"),
    ],
)
def test_days_and_months_are_compared(question: str, text: str, answer: str) -> None:
    assert said(question, text) == answer


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Is the shop open on Mondays?", "The café is open daily."),
        ("Is the shop open on Mondays?", "The shop's café is closed on Mondays."),
        ("Is the shop open on Sundays?", "The shop is open until nine on Friday, and sells fish."),
        ("Is the shop open on Mondays?", "The shop was closed on Monday, 3 May."),
        ("Is the shop open on Mondays?", "In winter the shop is open from Tuesday to Sunday."),
        (
            "Is the shop open on Sundays?",
            "The shop is open Monday to Friday 9-5.\nSaturday and Sunday 10-4.",
        ),
        ("Did the fire start on Monday?", "The fire started on Tuesday."),
        ("Was Ann born in May?", "Ann was born in June."),
        ("Is the mill open in May?", "The mill was open in May 1991."),
        ("Is the castle open in spring?", "The castle is open from April to October."),
    ],
)
def test_what_is_said_of_other_days_or_things_says_nothing(question: str, text: str) -> None:
    assert said(question, text) == ""

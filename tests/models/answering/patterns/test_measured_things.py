"""Amounts right beside what they measure."""

from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.patterns.measured_things import measured_things
from factmill.models.answering.words.asked_for import asked_for

PIE = "Ingredients\n900 g floury potatoes\n600 g smoked haddock, without skin\n2 large leeks"


def amounts(question: str, text: str, title: str = "Tarn Mill") -> list[str]:
    return [one.text for one in measured_things(asked_for(question), [Source(text, title, 0.8)])]


@pytest.mark.parametrize(
    ("question", "text", "answers"),
    [
        ("How deep is the well of Tarn Mill?", "It has a well that is 64 m deep.", ["64 m"]),
        ("How wide is the lift door at Tarn Mill?", "There is a lift. Its door is 92 cm wide.",
         ["92 cm"]),
        ("How long is the cutter at Tarn Mill?", "A needle 3 cm long and a cutter are shown.", []),
        ("How deep is the well of Tarn Mill?", "Its well is 210 feet deep.", ["210 feet"]),
        ("How wide is the well of Tarn Mill?", "It has a well that is 64 m deep.", []),
        ("How deep is the well of Tarn Mill?", "The well is not 64 m deep.", []),
        ("How deep is the well of Tarn Mill that is not lit?", "It has a well that is 64 m deep.",
         []),
        ("How deep is the well of Oss Mill?", "It has a well that is 64 m deep.", []),
        # Two amounts.
        ("How deep is the well of Tarn Mill?",
         "One well is 64 m deep. The other well is 9 m deep.", []),
        ("How much smoked haddock do I need?", PIE, ["600 g"]),
        ("How many large leeks are needed for the pie?", PIE, ["2"]),
        ("How much haddock do I need?", PIE, []),
        ("How much smoked ham do I need?", PIE, []),
    ],
)  # fmt: skip
def test_an_amount_beside_the_thing_answers(question: str, text: str, answers: list[str]) -> None:
    assert amounts(question, text) == answers

"""Questions without what people say around them."""

from __future__ import annotations

import pytest

from factmill.models.answering.decomposing.courtesies import without_courtesy
from factmill.models.answering.decomposing.local_decomposer import local_plan


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Do you know when Tarn Mill was built?", "When was Tarn Mill built?"),
        ("Hello, can you tell me how tall the mill is?", "How tall is the mill?"),
        ("Please tell me in which year Ann Lee was born.", "In which year was Ann Lee born?"),
        ("I wonder who founded it. Thanks!", "Who founded it?"),
        ("Does anyone know how many boats stop there?", "How many boats stop there?"),
        ("Could you tell me if dogs are allowed?", "Are dogs allowed?"),
        ("Do you know whether it opens on Mondays?", "Is it true that it opens on Mondays?"),
        ("When was the mill built, please?", "When was the mill built?"),
        ("Do you know which boat is the oldest?", "Which boat is the oldest?"),
        ("Can you tell me the price of a lamp?", "What is the price of a lamp?"),
        # What is no subject alone keeps its order; and what asks for nothing stays.
        ("Do you know when the man who built it died?", "When the man who built it died?"),
        ("Tell me about Tarn Mill.", "Tell me about Tarn Mill."),
        ("Hello, nice to see you", "Hello, nice to see you"),
        ("Does Ann Lee know the miller?", "Does Ann Lee know the miller?"),
    ],
)
def test_a_question_is_asked_without_courtesies(said: str, asked: str) -> None:
    assert without_courtesy(said) == asked


def test_a_plan_has_no_courtesies() -> None:
    (only,) = local_plan("Do you know when Tarn Mill was built?").questions

    assert only.question == "When was Tarn Mill built?"

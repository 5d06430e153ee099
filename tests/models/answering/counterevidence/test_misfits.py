"""What a span cannot be, by the words of its question."""

from __future__ import annotations

import pytest

from factmill.models.answering.counterevidence.misfits import is_misfit


@pytest.mark.parametrize(
    ("question", "text", "said", "fits"),
    [
        ("How long did it take?", "It began in 1921.", "1921", False),
        ("How long did it take?", "It took 3 years.", "3 years", True),
        ("How long does the walk take?", "It is 3 km long.", "3 km", False),
        ("How long is the tunnel?", "It was dug in two years.", "two years", False),
        ("How long is the walk?", "It takes two hours.", "two hours", True),
        ("What is the release date?", "It opens at 7.30 p.m.", "7.30 p.m.", False),
        ("On which day is it open?", "It is open from May to July.", "May to July", False),
        ("On which day is it open?", "It is open on Fridays.", "Fridays", True),
        ("On which day is it open?", "It opens on 3 May.", "3 May", True),
        ("How fast is the boat?", "She rows 2.8 km.", "2.8 km", False),
        ("How fast is the boat?", "She makes 12 knots.", "12 knots", True),
        ("What is the top speed of the boat?", "She cost £900.", "£900", False),
        ("What is the population of Oss?", "Oss lies in Holm Bay.", "Holm Bay", False),
        ("What is the population of Oss?", "Nobody lives in Oss.", "Nobody", True),
        ("What does a ticket cost?", "A ticket is sold at the desk.", "at the desk", False),
        ("What does a ticket cost?", "It is free.", "free", True),
        ("What does a ticket show?", "It shows a heron.", "a heron", True),
    ],
)
def test_an_answer_is_of_the_kind_of_its_question(
    question: str, text: str, said: str, fits: bool
) -> None:
    start = text.index(said)

    assert is_misfit(question, text, (start, start + len(said))) is not fits

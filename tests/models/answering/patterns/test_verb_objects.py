from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.patterns.verb_objects import verb_objects
from factmill.models.answering.words.asked_for import asked_for


def objects(question: str, text: str, title: str = "Holm") -> list[str]:
    return [one.text for one in verb_objects(asked_for(question), [Source(text, title, 0.8)])]


@pytest.mark.parametrize(
    ("question", "text", "answers"),
    [
        ("What do the arms of Holm show?", "Its arms show a green heron and a lantern.",
         ["a green heron and a lantern"]),
        ("What does the Tarn Inn serve?", "It is a café. The Tarn Inn serves soup and pies, and it "
         "closes at noon.", ["soup and pies"]),
        ("What did Ann Lee break?", "Ann Lee had broken a finger in 1932.", ["a finger"]),
        ("What does the mill grind?", "The mill is old. It grinds oats because wheat fails.",
         ["oats"]),
        ("What did the lamp of Holm burn at first?", "The lamp burned oil at first.",
         ["oil at first"]),
        ("What does the mill grind?", "The mill does not grind wheat.", []),
        ("What does the mill grind?", "The oats were ground by the mill.", []),
        ("What does the mill grind?", "The mill is old. A farmer grinds oats.", []),
        ("What does the mill of Tarn grind?", "The mill grinds oats.", []),
        ("What does the mill charge a man who grinds oats?", "The mill grinds rye.", []),
        ("What is the mill?", "The mill grinds oats.", []),
        ("What does the mill grind?", f"The mill grinds {'very ' * 12}fine oats.", []),
    ],
)  # fmt: skip
def test_the_object_of_the_verb_answers_what_somebody_does(
    question: str, text: str, answers: list[str]
) -> None:
    assert objects(question, text) == answers


def test_a_pronoun_before_the_verb_is_less_sure_than_the_subject() -> None:
    text = "The mill grinds oats. It grinds rye."
    found = verb_objects(asked_for("What does the mill grind?"), [Source(text, "Holm", 0.8)])
    scores = {one.text: one.score for one in found}

    assert scores["oats"] > scores["rye"] > 0

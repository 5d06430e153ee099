from __future__ import annotations

from typing import Any

import pytest

from factmill.models.links.asked_question import mean_recalls, recalls_of
from factmill.models.links.link_config import LinkTraining
from factmill.models.links.link_selection import (
    MIN_QUESTIONS,
    Judgement,
    held_out_scorers,
    judge_training,
)
from factmill.models.links.link_training import train_link_scorer
from tests.models.links.asked import (
    asked_by_chance,
    gentle_scorer,
    lifting,
    only_named_gold,
)


def _judgement(gain: float, loss_of_facts: float = 0.0, facts: int = 0) -> Judgement:
    """An error of 0.01; of the facts `loss_of_facts` are no longer found at 5."""
    before = {"facts": {"recall@2": 0.5, "recall@5": 0.5}}
    after = {"facts": {"recall@2": 0.5, "recall@5": 0.5 - loss_of_facts}}
    return Judgement(before, after, {"facts": facts, "": 100}, gain, error=0.01)


@pytest.mark.parametrize(("gain", "better"), [(0.011, True), (0.01, False), (-0.1, False)])
def test_training_is_better_when_it_gains_more_than_chance(gain: float, better: bool) -> None:
    assert _judgement(gain).better is better


@pytest.mark.parametrize(
    ("loss", "facts", "better"),
    [
        (0.009, MIN_QUESTIONS, True),
        (0.011, MIN_QUESTIONS, False),
        (0.5, MIN_QUESTIONS - 1, True),
    ],
)
def test_training_is_no_better_when_a_kind_of_questions_loses(
    loss: float, facts: int, better: bool
) -> None:
    assert _judgement(0.1, loss, facts).better is better


def test_one_question_more_is_chance_and_two_are_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody lifts anything but the pages of one question, or of two."""
    nothing, everything = lifting(0.0), lifting(9.0)
    questions = [only_named_gold(number) for number in range(60)]
    for count, better in ((1, False), (2, True), (0, False)):
        found = [everything] * count + [nothing] * (60 - count)
        monkeypatch.setattr(
            "factmill.models.links.link_selection.held_out_scorers", lambda *_, found=found: found
        )
        judged = judge_training(questions, LinkTraining(), nothing)
        assert judged.better is better
        assert judged.gain == pytest.approx(count / 60)


def test_judgement_is_of_questions_that_the_scorer_has_not_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    questions = asked_by_chance(20, "linked")
    seen: list[set[int]] = []

    def train(examples: Any, *_: Any) -> int:
        seen.append({id(example) for example in examples})
        return len(seen) - 1

    monkeypatch.setattr("factmill.models.links.link_selection.train_link_scorer", train)
    examples = [question.example() for question in questions]
    scorers: list[Any] = list(held_out_scorers(examples, 4, LinkTraining()))
    assert len(seen) == 4
    for example, scorer in zip(examples, scorers, strict=True):
        assert id(example) not in seen[scorer]
        assert all(id(example) in others for n, others in enumerate(seen) if n != scorer)


def test_training_goes_on_from_a_scorer_and_learns_what_is_different_here() -> None:
    questions, config = asked_by_chance(60, "links"), LinkTraining(epochs=15, learning_rate=0.1)
    begin = gentle_scorer()
    judged = judge_training(questions, config, begin)
    assert judged.better
    assert judged.counts == {"chains": 30, "facts": 30}
    assert judged.before == mean_recalls(questions, recalls_of(questions, [begin] * 60))
    assert "recall@5" in judged.line()
    still = train_link_scorer([questions[0].example()], LinkTraining(epochs=0), begin)
    features = questions[1].features
    assert still.lifts(features) == pytest.approx(begin.lifts(features), abs=1e-4)

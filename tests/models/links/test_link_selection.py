from __future__ import annotations

from typing import Any

import pytest

from factmill.models.links.asked_question import mean_recalls
from factmill.models.links.link_config import LinkTraining
from factmill.models.links.link_selection import (
    LEAST_QUESTIONS,
    Judgement,
    held_out_scorers,
    judge_training,
)
from factmill.models.links.link_training import train_link_scorer
from tests.models.links.asked import asked_by_chance, gentle_scorer

FEW, MANY = LEAST_QUESTIONS - 1, LEAST_QUESTIONS


def _judgement(after: dict[str, tuple[float, float]], facts: int = MANY) -> Judgement:
    """Recall at 2 and at 5 by dataset, which were 0.5 before."""

    def recalls(values: tuple[float, float]) -> dict[str, float]:
        return dict(zip(("recall@2", "recall@5"), values, strict=True))

    before = {name: recalls((0.5, 0.5)) for name in after}
    counts = {"all": 200, "facts": facts}
    return Judgement(before, {name: recalls(of) for name, of in after.items()}, counts)


@pytest.mark.parametrize(
    ("after", "better"),
    [
        ({"all": (0.51, 0.5), "facts": (0.5, 0.5)}, True),
        ({"all": (0.5, 0.51), "facts": (0.5, 0.5)}, True),
        ({"all": (0.5, 0.5), "facts": (0.5, 0.5)}, False),
        ({"all": (0.6, 0.49), "facts": (0.5, 0.5)}, False),
        ({"all": (0.6, 0.6), "facts": (0.495, 0.5)}, True),
        ({"all": (0.6, 0.6), "facts": (0.5, 0.48)}, False),
    ],
)
def test_training_is_better_when_all_gain_and_no_kind_loses(
    after: dict[str, tuple[float, float]], better: bool
) -> None:
    assert _judgement(after).better is better


def test_training_may_lose_questions_of_a_kind_too_few_to_judge_by() -> None:
    after = {"all": (0.6, 0.6), "facts": (0.4, 0.4)}
    assert not _judgement(after, MANY).better
    assert _judgement(after, FEW).better


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
    assert judged.counts == {"all": 60, "chains": 30, "facts": 30}
    assert judged.before == mean_recalls(questions, [begin] * 60)
    assert "recall@5" in judged.line()
    still = train_link_scorer([questions[0].example()], LinkTraining(epochs=0), begin)
    features = questions[1].features
    assert still.lifts(features) == pytest.approx(begin.lifts(features), abs=1e-4)

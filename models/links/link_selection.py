"""Whether labelled questions make a better scorer of links than the one that there is.

    questions -> folds; a scorer of the other folds ranks each -> recall of questions not seen
    better than the scorer before -> a scorer of all questions

Each question is held out once, so a few hundred questions are enough to judge by. A scorer that is
trained goes on from the one before, which has seen other questions: from nothing, so few questions
teach less than that one knows (docs/log.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from factmill.models.links.asked_question import (
    AskedQuestion,
    LinkExample,
    Recalls,
    mean_recalls,
)
from factmill.models.links.link_config import LinkTraining
from factmill.models.links.link_scorer import LinkScorer
from factmill.models.links.link_training import train_link_scorer

LEAST_QUESTIONS = 50
_FOLDS = 5
_EVERYTHING = "all"
# What a scorer must rank no worse, and one of the two better.
_DECIDING = ("recall@2", "recall@5")
# By how much questions of one kind may lose, where there are so many that it is more than chance.
_TOLERATED_LOSS = 0.01
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Judgement:
    """Mean recall of questions that a scorer has not seen, of each dataset and of all, by the
    scorer `before` and by those `after` training."""

    before: dict[str, Recalls]
    after: dict[str, Recalls]
    counts: dict[str, int]

    def line(self) -> str:
        """How all questions are found, for a person."""
        after, before = self.after[_EVERYTHING], self.before[_EVERYTHING]
        pairs = [f"{depth} {after[depth]:.3f} for {before[depth]:.3f}" for depth in _DECIDING]
        return f"questions that were held out have {' and '.join(pairs)}"

    @property
    def better(self) -> bool:
        """Whether training made more of all questions found, and no kind of them lost."""
        gained = [self._gain(_EVERYTHING, depth) for depth in _DECIDING]
        kinds = [name for name, count in self.counts.items() if count >= LEAST_QUESTIONS]
        return (
            min(gained) > -_ROUNDING
            and max(gained) > _ROUNDING
            and all(
                self._gain(name, depth) > -_TOLERATED_LOSS for name in kinds for depth in _DECIDING
            )
        )

    def _gain(self, name: str, depth: str) -> float:
        return self.after[name][depth] - self.before[name][depth]


def judge_training(
    questions: Sequence[AskedQuestion], config: LinkTraining, before: LinkScorer
) -> Judgement:
    """What training on questions makes of a scorer, at least LEAST_QUESTIONS of them with pages
    that are named."""
    examples = [question.example() for question in questions]
    after = held_out_scorers(examples, _FOLDS, config, before)
    found = mean_recalls(questions, [before] * len(questions))
    counts = {
        name: sum(name in (question.dataset, _EVERYTHING) for question in questions)
        for name in found
    }
    return Judgement(found, mean_recalls(questions, after), counts)


def held_out_scorers(
    examples: Sequence[LinkExample],
    folds: int,
    config: LinkTraining,
    begin: LinkScorer | None = None,
) -> list[LinkScorer]:
    """For each example a scorer that was trained without its fold."""
    fold = np.random.default_rng(0).integers(0, folds, len(examples))
    scorers = [
        train_link_scorer(
            [one for one, of in zip(examples, fold, strict=True) if of != left_out], config, begin
        )
        for left_out in range(folds)
    ]
    return [scorers[of] for of in fold]

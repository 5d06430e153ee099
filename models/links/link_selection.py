"""Decides whether training on labelled questions gives a better link scorer than the current one.

    questions -> folds; a scorer of the other folds ranks each -> recall on unseen questions
    better than the current scorer -> a scorer trained on all questions

Each question is held out once, so a few hundred questions are enough. Training continues from the
current scorer, which has seen other questions: from scratch, so few questions teach less than it
already contains (docs/log.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from factmill.models.links.asked_question import (
    ALL,
    DEPTHS,
    AskedQuestion,
    LinkExample,
    Recalls,
    mean_recalls,
    recalls_of,
)
from factmill.models.links.link_config import LinkTraining
from factmill.models.links.link_scorer import LinkScorer
from factmill.models.links.link_training import train_link_scorer

MIN_QUESTIONS = 50
_FOLDS = 5
# Names matter most between the first page, which stays, and the fifth.
_DECIDING = (2, 5)
# The tolerated loss of a data set with enough questions for the loss to be significant.
_TOLERATED_LOSS = 0.01
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Judgement:
    """Mean recall on unseen questions, by data set and in total, with the scorer `before` and with
    those `after` training. `counts` are the questions of each data set; `gain` is the mean gain of
    a question at the deciding depths, `error` its standard error.
    """

    before: dict[str, Recalls]
    after: dict[str, Recalls]
    counts: Mapping[str, int]
    gain: float
    error: float

    def line(self) -> str:
        """The result over all questions, for a person."""
        names = [f"recall@{depth}" for depth in _DECIDING]
        before, after = self.before[ALL], self.after[ALL]
        pairs = [f"{name} {after[name]:.3f} for {before[name]:.3f}" for name in names]
        return f"questions that were held out have {' and '.join(pairs)}"

    @property
    def better(self) -> bool:
        """Whether training improves recall significantly, and no data set loses. A single question
        is never significant: its gain equals its error.
        """
        if self.gain <= self.error + _ROUNDING:
            return False
        kinds = [name for name, count in self.counts.items() if name and count >= MIN_QUESTIONS]
        return all(
            self.after[name][depth] - self.before[name][depth] > -_TOLERATED_LOSS
            for name in kinds
            for depth in (f"recall@{depth}" for depth in _DECIDING)
        )


def judge_training(
    questions: Sequence[AskedQuestion], config: LinkTraining, before: LinkScorer
) -> Judgement:
    """The effect of training on questions, of which at least MIN_QUESTIONS have named pages."""
    examples = [question.example() for question in questions]
    was = recalls_of(questions, [before] * len(questions))
    now = recalls_of(questions, held_out_scorers(examples, _FOLDS, config, before))
    columns = [DEPTHS.index(depth) for depth in _DECIDING]
    gains = (now - was)[:, columns].mean(axis=1)
    return Judgement(
        before=mean_recalls(questions, was),
        after=mean_recalls(questions, now),
        counts=Counter(question.dataset for question in questions),
        gain=float(gains.mean()),
        error=float(gains.std(ddof=1) / np.sqrt(len(gains))),
    )


def held_out_scorers(
    examples: Sequence[LinkExample],
    folds: int,
    config: LinkTraining,
    begin: LinkScorer | None = None,
) -> list[LinkScorer]:
    """For each example, a scorer trained without its fold."""
    fold = np.random.default_rng(0).integers(0, folds, len(examples))
    scorers = [
        train_link_scorer(
            [one for one, of in zip(examples, fold, strict=True) if of != left_out], config, begin
        )
        for left_out in range(folds)
    ]
    return [scorers[of] for of in fold]

"""One training with an LLM: of what, on what, and where its progress goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.llm_training_steps import StepLosses
from factmill.models.answering.r2former.r2former import R2FormerCard
from factmill.models.answering.r2former.r2former_training import identity_of
from factmill.models.answering.r2former.shown_example import ShownExample
from factmill.models.answering.r2former.training_config import (
    JointTraining,
    R2FormerTraining,
    RankedExample,
)


@dataclass(frozen=True, slots=True)
class LlmTrainingRun:
    """The model of `card` learns from `examples` what helps the `llm`. What is reached is kept in
    the file `state`, and training goes on from there. `report` is told of every step.
    """

    card: R2FormerCard
    llm: FrozenLlm
    examples: Sequence[ShownExample]
    config: R2FormerTraining
    joint: JointTraining
    state: Path
    report: Callable[[StepLosses], None]

    @property
    def ranked(self) -> list[RankedExample]:
        return [example.ranked for example in self.examples]

    def identity(self, *others: object) -> str:
        """A digest that identifies the training. `others` are what it begins with, and further
        settings that JSON can represent.
        """
        return identity_of(self.card, self.ranked, self.config, *others)

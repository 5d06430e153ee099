"""The steps of a training: the examples and the learning rate of each.

The random seed of a step is its number, so a resumed training draws the same examples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from factmill.models.answering.r2former.training_config import R2FormerTraining
from factmill.models.arrays import Integers
from factmill.models.encoding.fine_tuning import rate_factor


@dataclass(frozen=True, slots=True)
class TrainingSteps:
    """`examples` is the number of examples; an epoch uses each of them once."""

    config: R2FormerTraining
    examples: int

    @property
    def of_epoch(self) -> int:
        return -(-self.examples // self.config.batch)

    @property
    def count(self) -> int:
        return self.of_epoch * self.config.epochs

    def begin(self, step: int, optimiser: torch.optim.Optimizer) -> Integers:
        """Seed PyTorch and set the rates for a step; returns its examples. A group of parameters
        with a `highest_rate` of its own has that in place of the training's."""
        config = self.config
        epoch, batch = divmod(step, self.of_epoch)
        order = np.random.default_rng([config.seed, epoch]).permutation(self.examples)
        torch.manual_seed(config.seed * self.count + step)
        for group in optimiser.param_groups:
            highest = group.get("highest_rate", config.learning_rate)
            group["lr"] = highest * rate_factor(step, self.count, config.warm_up)
        return order[batch * config.batch : (batch + 1) * config.batch]

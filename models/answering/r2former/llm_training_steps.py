"""The steps of a training that asks an LLM: it may end by the clock, and goes on where it was.

Deterministic for equal data, settings and number of threads on one processor, also when it was
killed: each step draws by its number.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from factmill.models.answering.r2former.training_state import load_state, save_state
from factmill.models.answering.r2former.training_steps import TrainingSteps
from factmill.schemas.progress_events import report_progress

# Adds the gradient of an example's share of a step, and says its losses by name.
Backward = Callable[[int, float, np.random.Generator], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class StepLosses:
    """Mean losses of the questions of a step, by name; seconds since training went on, by the clock
    and of this process's processors."""

    step: int
    losses: Mapping[str, float]
    seconds: float
    processor_seconds: float


@dataclass(frozen=True, slots=True)
class LlmTrainingSteps:
    """`title` is what a person is told of, `state` the file that holds what is reached, `identity`
    what the training is of. `others` are parameters that learn beside, at `others_rate`."""

    title: str
    steps: TrainingSteps
    parameters: Mapping[str, Tensor]
    state: Path
    identity: str
    seconds: float
    others: Mapping[str, Tensor] = field(default_factory=dict)
    others_rate: float = 0.0

    def take(
        self,
        backward: Backward,
        report: Callable[[StepLosses], None],
        on_count: Callable[[int], None] | None = None,
    ) -> None:
        """Change the parameters until all steps are taken or the time is over. A step takes its
        examples one after the other: memory holds one prompt, and on a processor a batch is no
        faster. `report` is told of every step, `on_count` how many were taken, also before the
        first. Raises ModelMismatch for the state of another training, CorruptStore."""
        began, processor = time.monotonic(), time.process_time()
        steps, config = self.steps, self.steps.config
        groups: list[dict[str, Any]] = [{"params": list(self.parameters.values())}]
        if self.others:
            rate = {"highest_rate": self.others_rate}
            groups.append({"params": list(self.others.values()), **rate})
        optimiser = torch.optim.Adam(groups, lr=config.learning_rate)
        learning = {**self.parameters, **self.others}
        done = load_state(self.state, self.identity, learning, optimiser)
        if on_count:
            on_count(done)
        for step in range(done, steps.count):
            if time.monotonic() - began > self.seconds:
                break
            report_progress(self.title, step, steps.count)
            rows = steps.begin(step, optimiser)
            optimiser.zero_grad()
            draw = np.random.default_rng([config.seed, *divmod(step, steps.of_epoch)])
            of_rows = [backward(row, 1 / len(rows), draw) for row in rows.tolist()]
            optimiser.step()
            means = {name: float(np.mean([one[name] for one in of_rows])) for name in of_rows[0]}
            seconds = time.monotonic() - began, time.process_time() - processor
            report(StepLosses(step, means, *seconds))
            save_state(self.state, step + 1, self.identity, learning, optimiser)
            if on_count:
                on_count(step + 1)

"""Trains an R2-Former's relevance head on the ranked pages of labelled questions.

    rankings -> R2-Former -> binary cross-entropy of every document (R2AG, equation 5)

Deterministic for equal examples, settings and number of threads on one machine, even across kills.
`joint_training.py` trains it together with an LLM.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save

from factmill.models.answering.r2former.r2former import CARD, WEIGHTS, R2FormerCard
from factmill.models.answering.r2former.trainable_r2former import (
    TrainableR2Former,
    padded,
    relevance_loss,
)
from factmill.models.answering.r2former.training_config import R2FormerTraining, RankedExample
from factmill.models.answering.r2former.training_state import load_state, save_state
from factmill.models.answering.r2former.training_steps import TrainingSteps
from factmill.models.arrays import Floats
from factmill.schemas.progress_events import report_progress
from factmill.schemas.storage.atomic import whole_file


def train_r2former(
    card: R2FormerCard,
    examples: Sequence[RankedExample],
    config: R2FormerTraining,
    state: Path | None = None,
) -> dict[str, Floats]:
    """The trained weights; at least one example. With `state`, progress is saved in this file after
    each epoch, and training resumes from it.
    """
    # PyTorch's generator belongs to the caller.
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        model = TrainableR2Former(card, examples, config.dropout).train()
        parameters = dict(model.named_parameters())
        optimiser = torch.optim.Adam(parameters.values(), lr=config.learning_rate)
        steps = TrainingSteps(config, len(examples))
        identity = identity_of(card, examples, config)
        done = load_state(state, identity, parameters, optimiser) if state else 0
        for step in range(done, steps.count):
            report_progress("training an R2-Former", step, steps.count)
            rows = steps.begin(step, optimiser)
            features, labels, there = padded([examples[row] for row in rows])
            loss = relevance_loss(model.relevance(model.states(features, there)), labels, there)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            if state and (step + 1) % steps.of_epoch == 0:
                save_state(state, step + 1, identity, parameters, optimiser)
        return model.weights()


def identity_of(
    card: R2FormerCard,
    examples: Sequence[RankedExample],
    config: R2FormerTraining,
    *others: object,
) -> str:
    """A digest that identifies a training. `others` are further settings that JSON can
    represent.
    """
    digest = hashlib.sha256(card.to_json().encode())
    digest.update(json.dumps([asdict(config), *others], sort_keys=True).encode())
    for example in examples:
        digest.update(example.features.tobytes())
        digest.update(example.relevant.tobytes())
    return digest.hexdigest()


def save_r2former(folder: Path, card: R2FormerCard, weights: dict[str, Floats]) -> None:
    """Write a model in the form that `R2Former.load` reads; the card last."""
    folder.mkdir(parents=True, exist_ok=True)
    # safetensors ignores strides, so the array must be contiguous.
    halves = {name: np.ascontiguousarray(one, np.float16) for name, one in weights.items()}
    for name, content in ((WEIGHTS, save(halves)), (CARD, card.to_json().encode())):
        with whole_file(folder / name) as temporary:
            temporary.write_bytes(content)

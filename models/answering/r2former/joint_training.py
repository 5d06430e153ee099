"""Trains an R2-Former together with an LLM (R2AG, section 3.5).

documents in some order -> list features
  -> R2-Former -> relevance  -> binary cross-entropy
               -> embeddings -> the LLM's prompt -> cross-entropy of the answer
loss = the sum of both

The LLM stays as it is. A LoRA adapter beside it may learn, from the same loss.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import asdict

import numpy as np
import torch

from factmill.models.answering.r2former.llm_training_run import LlmTrainingRun
from factmill.models.answering.r2former.llm_training_steps import LlmTrainingSteps
from factmill.models.answering.r2former.lora_adapter import LoraAdapter
from factmill.models.answering.r2former.shown_example import loss_of_answer, shown_rows
from factmill.models.answering.r2former.trainable_r2former import (
    TrainableR2Former,
    padded,
    relevance_loss,
)
from factmill.models.answering.r2former.training_steps import TrainingSteps
from factmill.models.arrays import Floats


def train_jointly(
    run: LlmTrainingRun,
    start: Mapping[str, Floats],
    marks: torch.Tensor | None,
    on_count: Callable[[int, dict[str, Floats]], None] | None = None,
    adapter: LoraAdapter | None = None,
) -> dict[str, Floats]:
    """The weights after all epochs, or when the time is over. `start` are the weights of a model
    that was trained for relevance alone, `marks` those of `learn_marks`: what embeddings begin
    near. Without marks, `start` has all weights. `on_count` is told how many steps were taken, also
    before the first, and the weights. The `adapter` of the LLM learns, too, in place."""
    config, joint, ranked = run.config, run.joint, run.ranked
    began = _digest(start) if marks is None else marks.tolist()
    lora = [asdict(adapter.settings), joint.lora_rate] if adapter else []
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        model = TrainableR2Former(run.card, ranked, config.dropout).eval()
        model.begin_with(start)
        if marks is not None:
            other, relevant = marks
            model.begin_embeddings(relevant, other, ranked)
        model.train()

        def backward(row: int, share: float, draw: np.random.Generator) -> Mapping[str, float]:
            example = run.examples[row]
            features, labels, there = padded([example.ranked])
            states = model.states(features, there)
            relevance = relevance_loss(model.relevance(states), labels, there)
            shown = shown_rows(example, joint.few, draw)
            embeddings = model.embeddings(states)[0, shown]
            with adapter.learning() if adapter else nullcontext():
                answer = loss_of_answer(run.llm, example, shown, embeddings, joint.longest)
            ((relevance + answer) * share).backward()
            return {"relevance": float(relevance.detach()), "answer": float(answer.detach())}

        def reached(step: int) -> None:
            if on_count:
                on_count(step, model.weights())

        LlmTrainingSteps(
            "training an R2-Former with an LLM", TrainingSteps(config, len(ranked)),
            dict(model.named_parameters()), run.state, run.identity(began, joint.few, *lora),
            joint.seconds, adapter.factors() if adapter else {}, joint.lora_rate,
        ).take(backward, run.report, reached)  # fmt: skip
        return model.weights()


def _digest(weights: Mapping[str, Floats]) -> str:
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(weights[name].tobytes())
    return digest.hexdigest()

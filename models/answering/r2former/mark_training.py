"""Learns what a frozen LLM reads best in front of a relevant document, and in front of another.

    documents in some order, which are relevant -> a mark in front of each -> the LLM's prompt
      -> cross-entropy of the answer

A mark is a vector. Labels choose between the two, so what is learned is what this LLM makes of a
mark. Embeddings of an R2-Former begin between both (`TrainableR2Former.begin_embeddings`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.llm_training_run import LlmTrainingRun
from factmill.models.answering.r2former.llm_training_steps import LlmTrainingSteps
from factmill.models.answering.r2former.shown_example import loss_of_answer, shown_rows
from factmill.models.answering.r2former.training_steps import TrainingSteps
from factmill.schemas.errors import CorruptStore, ModelMismatch

# Two vectors stand a higher rate than a network.
_RATE = 1e-2


def marks_of_words(llm: FrozenLlm, relevant: str, other: str) -> Tensor:
    """Marks to begin with: the LLM's own vectors of two words."""
    return torch.stack([llm.vector_of(other), llm.vector_of(relevant)])


def learned_marks(path: Path, width: int) -> Tensor:
    """Those that `learn_marks` kept in a file. Raises CorruptStore, and ModelMismatch for marks of
    another LLM's width."""
    try:
        with safe_open(path, framework="pt") as file:
            marks: Tensor = file.get_tensor("weight marks")
    except (OSError, SafetensorError) as error:
        raise CorruptStore(f"{path}: no marks of a training ({error})") from None
    if marks.shape != (2, width):
        raise ModelMismatch(
            f"{path}: marks of shape {tuple(marks.shape)}, the LLM's width is {width}"
        )
    return marks


def learn_marks(run: LlmTrainingRun, first: Tensor) -> Tensor:
    """The marks, shape (2, width), of other documents and of relevant ones, after all epochs or
    when the time is over. They begin as `first`. The run's `config` says epochs, batch and seed.
    """
    run = replace(run, config=replace(run.config, learning_rate=_RATE))
    joint = run.joint
    marks = first.clone().requires_grad_(True)

    def backward(row: int, share: float, draw: np.random.Generator) -> Mapping[str, float]:
        example = run.examples[row]
        shown = shown_rows(example, joint.few, draw)
        chosen = marks[torch.from_numpy(example.ranked.relevant[shown]).long()]
        loss = loss_of_answer(run.llm, example, shown, chosen, joint.longest)
        (loss * share).backward()
        return {"answer": float(loss.detach())}

    with torch.random.fork_rng():
        LlmTrainingSteps(
            "learning marks for an LLM", TrainingSteps(run.config, len(run.examples)),
            {"marks": marks}, run.state, run.identity(first.tolist(), joint.few), joint.seconds,
        ).take(backward, run.report)  # fmt: skip
    return marks.detach()

"""Trains an R2-Former together with an LLM that stays as it is (R2AG, section 3.5).

    documents in some order -> list features
      -> R2-Former -> relevance  -> binary cross-entropy
                   -> embeddings -> the LLM's prompt -> cross-entropy of the answer
    loss = the sum of both

A step takes `batch` questions one after the other, so that memory holds one prompt. Deterministic
for equal examples, settings and number of threads on one machine, also when it was killed and went
on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.r2former import R2FormerCard
from factmill.models.answering.r2former.r2former_training import identity_of
from factmill.models.answering.r2former.retrieval_prompt import retrieval_prompt
from factmill.models.answering.r2former.trainable_r2former import (
    TrainableR2Former,
    padded,
    relevance_loss,
)
from factmill.models.answering.r2former.training_config import (
    JointTraining,
    R2FormerTraining,
    RankedExample,
)
from factmill.models.answering.r2former.training_state import load_state, save_state
from factmill.models.answering.r2former.training_steps import TrainingSteps
from factmill.models.encoding.batching import Floats
from factmill.schemas.progress_events import report_progress

Tensor = torch.Tensor
_SHARE_OF_FEW = 0.75


@dataclass(frozen=True, slots=True)
class ShownExample:
    """A question, its answers, of which the first stands in a document, the documents shown in
    their order, and what is known of them."""

    question: str
    answers: tuple[str, ...]
    documents: tuple[str, ...]
    ranked: RankedExample


@dataclass(frozen=True, slots=True)
class StepLosses:
    """Mean losses of the questions of a step."""

    step: int
    relevance: float
    answer: float
    seconds: float


def train_jointly(
    card: R2FormerCard,
    examples: Sequence[ShownExample],
    config: R2FormerTraining,
    llm: FrozenLlm,
    joint: JointTraining,
    state: Path,
    start: Mapping[str, Floats] | None = None,
    on_step: Callable[[int, dict[str, Floats]], None] | None = None,
) -> tuple[dict[str, Floats], list[StepLosses]]:
    """The weights after all epochs, or when the time is over, and the losses of the steps that were
    taken now. What is reached is kept in `state`, and training goes on from there. `start` are the
    weights of a model that was trained for relevance alone. `on_step` is told how many steps were
    taken, and the weights."""
    began = time.monotonic()
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        ranked = [one.ranked for one in examples]
        model = TrainableR2Former(card, ranked, config.dropout).train()
        model.scale_embeddings(float(llm.model.get_input_embeddings().weight.float().std()))
        model.begin_with(start or {})
        if joint.words:
            relevant, other = map(llm.vector_of, joint.words)
            model.eval().begin_embeddings(relevant, other, ranked)
            model.train()
        parameters = dict(model.named_parameters())
        optimiser = torch.optim.Adam(parameters.values(), lr=config.learning_rate)
        steps = TrainingSteps(config, len(examples))
        identity = identity_of(
            card, [one.ranked for one in examples], config, joint.words, joint.few
        )
        done = load_state(state, identity, parameters, optimiser)
        losses = []
        for step in range(done, steps.count):
            if time.monotonic() - began > joint.seconds:
                break
            report_progress("training an R2-Former with an LLM", step, steps.count)
            rows = steps.begin(step, optimiser)
            optimiser.zero_grad()
            draw = np.random.default_rng([config.seed, *divmod(step, steps.of_epoch)])
            of_rows = [
                _backward(
                    model, llm, examples[row], _shown(examples[row], joint.few, draw),
                    joint.longest, 1 / len(rows),
                )
                for row in rows
            ]  # fmt: skip
            optimiser.step()
            relevance, answer = np.mean(of_rows, axis=0)
            losses.append(
                StepLosses(step, float(relevance), float(answer), time.monotonic() - began)
            )
            save_state(state, step + 1, identity, parameters, optimiser)
            if on_step:
                on_step(step + 1, model.weights())
        return model.weights(), losses


def _shown(example: ShownExample, few: int, draw: np.random.Generator) -> npt.NDArray[np.int64]:
    """The documents of a prompt: all, or in three of four prompts a few."""
    everything = np.arange(len(example.documents))
    if not 0 < few < len(everything) or draw.random() >= _SHARE_OF_FEW:
        return everything
    relevant = everything[example.ranked.relevant][:few]
    others = draw.permutation(everything[~example.ranked.relevant])[: few - len(relevant)]
    return draw.permutation(np.concatenate([relevant, others]))


def _backward(
    model: TrainableR2Former,
    llm: FrozenLlm,
    example: ShownExample,
    shown: npt.NDArray[np.int64],
    longest: int,
    share: float,
) -> tuple[float, float]:
    """Add the gradient of a question whose prompt shows some of its documents; its two losses."""
    features, labels, there = padded([example.ranked])
    states = model.states(features, there)
    relevance = relevance_loss(model.relevance(states), labels, there)
    answer = llm.tokenise(example.answers[0])
    prompt = retrieval_prompt(
        example.question, [example.documents[n] for n in shown], llm.tokenise, llm.turn,
        longest - len(answer) - 1,
    )  # fmt: skip
    vectors = llm.vectors(prompt, model.embeddings(states)[0, shown])
    of_answer = llm.answer_loss(vectors, answer)
    ((relevance + of_answer) * share).backward()
    return float(relevance.detach()), float(of_answer.detach())

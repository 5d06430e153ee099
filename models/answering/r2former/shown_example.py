"""A question as an LLM is shown it in training: its documents in some order, and its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.retrieval_prompt import retrieval_prompt
from factmill.models.answering.r2former.training_config import RankedExample
from factmill.models.arrays import Integers

_SHARE_OF_FEW = 0.75


@dataclass(frozen=True, slots=True)
class ShownExample:
    """A question, its answers, of which the first stands in a document, the documents shown in
    their order, and what is known of them."""

    question: str
    answers: tuple[str, ...]
    documents: tuple[str, ...]
    ranked: RankedExample


def shown_rows(example: ShownExample, few: int, draw: np.random.Generator) -> Integers:
    """The documents of a prompt: all, or in three of four prompts a few."""
    everything = np.arange(len(example.documents))
    if not 0 < few < len(everything) or draw.random() >= _SHARE_OF_FEW:
        return everything
    relevant = everything[example.ranked.relevant][:few]
    others = draw.permutation(everything[~example.ranked.relevant])[: few - len(relevant)]
    return draw.permutation(np.concatenate([relevant, others]))


def loss_of_answer(
    llm: FrozenLlm,
    example: ShownExample,
    shown: Integers,
    embeddings: Any,
    longest: int,
) -> Any:
    """The LLM's loss of the first answer after a prompt that shows these documents, each with its
    embedding: a tensor, shape (documents shown, width). The prompt and the answer have `longest`
    tokens at most."""
    answer = llm.tokenise(example.answers[0])
    prompt = retrieval_prompt(
        example.question, [example.documents[n] for n in shown], llm.tokenise, llm.turn,
        longest - len(answer) - 1,
    )  # fmt: skip
    return llm.answer_loss(prompt, embeddings, answer)

"""How well an LLM takes answers from prompts with embeddings, on questions it was not trained on.

The same prompts with features that went to another document of the list tell how much of it is
knowledge of what is relevant; the rest is the form of an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.r2former import R2Former
from factmill.models.answering.r2former.shown_example import ShownExample, loss_of_answer


def held_out_losses(
    llm: FrozenLlm, model: R2Former, examples: Sequence[ShownExample], longest: int
) -> dict[str, float]:
    """Mean cross-entropy of the answers with all documents shown: `answer`, and `shuffled`,
    where each document has the features of another. Equal whenever it is called."""
    losses = []
    with torch.no_grad():
        for number, example in enumerate(examples):
            features, shown = example.ranked.features, np.arange(len(example.documents))
            shuffled = np.roll(features, 1 + number % (len(features) - 1), axis=0)
            losses.append(
                [
                    float(loss_of_answer(llm, example, shown, model.embeddings(one), longest))
                    for one in (features, shuffled)
                ]
            )
    answer, other = np.mean(losses, axis=0).tolist()
    return {"answer": answer, "shuffled": other}

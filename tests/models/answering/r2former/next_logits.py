"""What an LLM says comes next, for tests that compare vectors with tokens."""

from __future__ import annotations

from typing import Any

import torch

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.arrays import Floats


def next_logits(llm: FrozenLlm, vectors: Any) -> Floats:
    """Of all tokens of the vocabulary, after the vectors."""
    with torch.inference_mode():
        logits = llm.model(inputs_embeds=vectors, logits_to_keep=1).logits
    return logits[0, -1].float().cpu().numpy()

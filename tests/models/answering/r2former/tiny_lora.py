"""A LoRA adapter with drawn factors beside a tiny LLM, for tests that have PEFT."""

from __future__ import annotations

import importlib.util

import pytest
import torch

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.lora_adapter import LoraAdapter
from factmill.models.answering.r2former.lora_card import LoraSettings
from factmill.models.answering.r2former.retrieval_prompt import retrieval_prompt
from factmill.models.arrays import Floats
from tests.models.answering.r2former.next_logits import next_logits

# Looked for and not imported, which takes seconds: every process of a test run comes by here.
if importlib.util.find_spec("peft") is None:
    pytest.skip("needs peft, of the extras r2ag and dev", allow_module_level=True)
SETTINGS = LoraSettings(4, 8, 0.1)


def drawn_adapter(llm: FrozenLlm, seed: int = 0) -> LoraAdapter:
    """One that changes what the LLM writes."""
    adapter = LoraAdapter(llm, SETTINGS)
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for factor in adapter.factors().values():
            factor.copy_(torch.randn(factor.shape, generator=draw))
    return adapter


def logits_of(llm: FrozenLlm) -> Floats:
    """Of what comes after a prompt."""
    prompt = retrieval_prompt("When?", ["1901"], llm.tokenise, llm.turn, 900, embedded=False)
    return next_logits(llm, llm.vectors(prompt))

"""LoRA: two thin factors beside each matrix of an LLM's attention, which learn while it stays.

    what a matrix gives  +  alpha / rank * (factor B of (factor A of what it gets))

PEFT puts them there, and runs them. `LoraAdapter.learning` is for training; answers come either
with the factors beside the matrices, or, after `merge`, from matrices that they were added to.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from factmill.models.answering.r2former.frozen_llm import EXTRA, FrozenLlm
from factmill.models.answering.r2former.lora_card import ADAPTED, LoraCard, LoraSettings
from factmill.models.answering.r2former.lora_files import (
    factor_shapes,
    read_adapter,
    sampled_weights,
    save_adapter,
)
from factmill.schemas.errors import MissingExtra, OptionError
from factmill.schemas.storage.paths import StoragePath

# PEFT's name of an adapter that is not given one, and what its factors' names have.
_NAME, _FACTOR = "default", ".lora_"


class LoraAdapter:
    """An adapter beside an LLM, which has at most one. It changes nothing until it has learned or
    was loaded.
    """

    def __init__(self, llm: FrozenLlm, settings: LoraSettings, seed: int = 0) -> None:
        """`seed` draws the first factors A; the factors B are 0. Raises MissingExtra without PEFT,
        OptionError for an LLM whose attention has other names.
        """
        try:
            from peft import LoraConfig, LoraModel
        except ImportError as error:
            raise MissingExtra(str(error.name).split(".")[0], EXTRA) from None
        if not factor_shapes(llm.model, settings.rank):
            raise OptionError(f"LoRA: {llm.name} has none of {', '.join(ADAPTED)}")
        self.settings, self._llm = settings, llm
        self._base = sampled_weights(llm.model)
        config = LoraConfig(
            r=settings.rank, lora_alpha=settings.alpha, lora_dropout=settings.dropout,
            target_modules=list(ADAPTED), task_type="CAUSAL_LM", bias="none",
        )  # fmt: skip
        # PyTorch's generator belongs to the caller.
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self._beside: Any = LoraModel(llm.model, config, _NAME).eval()
        for name, parameter in self._beside.named_parameters():
            parameter.requires_grad_(_FACTOR in name)
            if _FACTOR in name:
                # As wide as the optimiser needs it, whatever the LLM's precision.
                parameter.data = parameter.data.float()
        llm.keeps_opening = False

    @classmethod
    def load(cls, llm: FrozenLlm, folder: StoragePath, card: LoraCard) -> LoraAdapter:
        """The adapter in an R2-Former's folder. Raises what `read_adapter` does, and MissingExtra;
        the LLM is then as it was.
        """
        settings, tensors = read_adapter(folder, card, llm.model)
        adapter = cls(llm, settings)
        factors = adapter.factors()
        with torch.no_grad():
            for name, values in tensors.items():
                factors[name].copy_(values)
        return adapter

    def factors(self) -> dict[str, Tensor]:
        """The factors, which can learn, by their names in PEFT's files."""
        # PEFT's files do not name the adapter, and what is around a model.
        return {
            f"base_model.{name.replace(f'.{_NAME}.', '.')}": parameter
            for name, parameter in self._beside.named_parameters()
            if _FACTOR in name
        }

    def save(self, folder: Path) -> LoraCard:
        """Write the adapter's files; returns what the R2-Former's card says of them."""
        fingerprint = save_adapter(folder, self.settings, self._llm.name, self.factors())
        return LoraCard(self.settings.rank, fingerprint, self._base)

    @contextmanager
    def learning(self) -> Iterator[None]:
        """Inside, what the factors get is dropped at random, as the settings say."""
        dropping = [one for name, one in self._beside.named_modules() if "lora_dropout" in name]
        for module in dropping:
            module.train()
        try:
            yield
        finally:
            for module in dropping:
                module.eval()

    @contextmanager
    def left_out(self) -> Iterator[None]:
        """Inside, the LLM is as it is without the adapter, bit for bit."""
        self._beside.disable_adapter_layers()
        try:
            yield
        finally:
            self._beside.enable_adapter_layers()

    def merge(self) -> None:
        """Add the factors to the LLM's matrices, for good: it then computes as fast as before."""
        self._beside.merge_and_unload()
        self._llm.keeps_opening = True

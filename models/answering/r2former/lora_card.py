"""What an R2-Former's card says of the LoRA adapter that was trained with it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from factmill.schemas.errors import ModelMismatch

# The attention's projections, as Llama, Mistral, Qwen and Gemma name them: the matrices that the
# paper of LoRA adapts. R2AG does not say which it took.
ADAPTED = ("q_proj", "k_proj", "v_proj", "o_proj")
MAX_RANK, _MAX_ALPHA = 256, 4096
SAMPLED = 64
# Of sampled weights: quantisation and fine-tuning leave more, another model has about 0.
_MIN_CORRELATION = 0.8


@dataclass(frozen=True, slots=True)
class LoraSettings:
    """The defaults are the paper's for each LLM that it fine-tunes. What an adapter adds is
    multiplied by `alpha / rank`. Raises ValueError.
    """

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.1

    def __post_init__(self) -> None:
        if type(self.rank) is not int or not 0 < self.rank <= MAX_RANK:
            raise ValueError(f"rank {self.rank!r}, not 1 to {MAX_RANK}")
        if type(self.alpha) is not int or not 0 < self.alpha <= _MAX_ALPHA:
            raise ValueError(f"alpha {self.alpha!r}, not 1 to {_MAX_ALPHA}")
        if type(self.dropout) not in (int, float) or not 0 <= self.dropout < 1:
            raise ValueError(f"dropout {self.dropout!r}, not 0 to below 1")


@dataclass(frozen=True, slots=True)
class LoraCard:
    """`fingerprint` is that of the adapter's files. `base` are some weights of the LLM that it was
    trained with, which tell it from another of the same shape. Raises ValueError.
    """

    rank: int
    fingerprint: str
    base: list[float]

    def __post_init__(self) -> None:
        LoraSettings(self.rank)
        if not isinstance(self.fingerprint, str):
            raise ValueError("the adapter's fingerprint is not a name")
        numbers = self.base if isinstance(self.base, list) else []
        if len(numbers) != SAMPLED or not all(type(one) in (int, float) for one in numbers):
            raise ValueError(f"the adapter's LLM is not described by {SAMPLED} numbers")
        if not all(math.isfinite(one) for one in numbers):
            raise ValueError("the adapter's LLM is described by a value that is not a number")

    @classmethod
    def from_json(cls, found: Mapping[str, Any] | None) -> LoraCard | None:
        """Raises TypeError and ValueError for anything but a card."""
        return None if found is None else cls(**found)

    def check_base(self, sample: list[float]) -> None:
        """Raises ModelMismatch unless these weights are of the LLM that the adapter was trained
        with, or of one made from it.
        """
        if _correlation(self.base, sample) < _MIN_CORRELATION:
            raise ModelMismatch("the LoRA adapter was trained with another LLM than this one")


def _correlation(first: list[float], second: list[float]) -> float:
    """The cosine of two vectors of one length; 0 when one of them is 0."""
    product = sum(a * b for a, b in zip(first, second, strict=True))
    length = math.hypot(*first) * math.hypot(*second)
    return product / length if length else 0.0

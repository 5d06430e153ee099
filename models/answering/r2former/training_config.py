"""What training of an R2-Former is told."""

from __future__ import annotations

from dataclasses import dataclass

from factmill.models.arrays import Flags, Floats

# The paper's, for all that it trains.
LEARNING_RATE = 2e-4


@dataclass(frozen=True, slots=True)
class R2FormerTraining:
    """The paper's width, heads, dropout and learning rate; `hidden` is that of the layer between.
    A step takes `batch` rankings; `warm_up` is the share of steps in which the rate rises. Other
    settings of the optimiser are Adam's."""

    width: int = 256
    heads: int = 4
    hidden: int = 512
    documents: int = 100
    dropout: float = 0.1
    learning_rate: float = LEARNING_RATE
    warm_up: float = 0.1
    epochs: int = 8
    batch: int = 32
    seed: int = 0


@dataclass(frozen=True, slots=True)
class JointTraining:
    """Further settings of training with an LLM. A prompt has at most `longest` tokens. With `few`,
    three of four prompts show this many documents of a list, the relevant ones among them, which
    costs less. Training stops after `seconds` and continues when it is called again. `lora_rate` is
    the learning rate of an adapter.
    """

    longest: int
    few: int = 0
    seconds: float = float("inf")
    lora_rate: float = LEARNING_RATE


@dataclass(frozen=True, slots=True)
class RankedExample:
    """A ranked list of a question: features, shape (k, features), and which documents are
    relevant, shape (k,)."""

    features: Floats
    relevant: Flags

"""What is particular of each span model: its name, its examples, its figures. Without PyTorch."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from tokenizers import Tokenizer

from factmill.models.answering.span_models.span_examples import SpanExample, SpanTraining
from factmill.models.answering.span_models.span_model import SpanModel
from factmill.models.encoding.published_encoder import PublishedEncoder

Row = TypeVar("Row")
# One row in 16 is held out, at most 300.
_HELD_OUT_ONE_IN, _MAX_HELD_OUT = 16, 300


@dataclass(frozen=True, slots=True)
class TrainingStep(Generic[Row]):
    """One step of a training.

    `prepare` makes examples of rows, and the labels that they use, for a tokenizer and a largest
    number of tokens. `rows` makes the rows of this step from the previous step's model and the rows
    of the file; without it, the step uses the rows of the file. With `drawn_anew`, `prepare` draws
    again for each epoch. A step must tune at least as many layers as the previous one.
    """

    prepare: Callable[[Sequence[Row], Tokenizer, int], tuple[list[SpanExample], list[str]]]
    training: SpanTraining
    rows: Callable[[SpanModel, Sequence[Row]], list[Row]] | None = None
    drawn_anew: bool = False


@dataclass(frozen=True, slots=True)
class Beginning:
    """A packaged model from which the first step starts. `model` returns None for an encoder that
    it was not tuned from: the step starts from the encoder then. `weights` is its file. `name` is
    in the fingerprint, which the cards of stores have: with another one, they train again.
    """

    name: str
    weights: Path
    model: Callable[[PublishedEncoder], SpanModel | None]

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of name and weights; the file may lie elsewhere."""
        named = self.name.encode() + b"\0" + self.weights.read_bytes() + b"\0"
        return hashlib.sha256(named).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class SpanTrainer(Generic[Row]):
    """`read` makes a row of an object of a file, or returns None for an invalid object; `figures`
    measures a model on rows. Each step starts from the weights of the previous one, the first one
    from those of `beginning`.
    """

    name: str
    option: str
    read: Callable[[Mapping[str, Any]], Row | None]
    figures: Callable[[SpanModel, Sequence[Row]], dict[str, float]]
    steps: tuple[TrainingStep[Row], ...]
    beginning: Beginning | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """How it is trained; another one is another model. `may_begin_with` is the packaged model
        from which it starts over the encoder of that model."""
        first, *further = (asdict(step.training) for step in self.steps)
        begins = {"may_begin_with": self.beginning.fingerprint} if self.beginning else {}
        return {**first, **({"further": further} if further else {}), **begins}


def split_rows(rows: Sequence[Row], seed: int) -> tuple[list[Row], list[Row]]:
    """The rows to fit, and the held out rows to measure by."""
    shuffled = random.Random(seed).sample(rows, len(rows))
    count = min(_MAX_HELD_OUT, len(rows) // _HELD_OUT_ONE_IN)
    return shuffled[count:], shuffled[:count]

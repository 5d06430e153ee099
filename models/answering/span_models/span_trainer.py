"""What is particular of each span model: its name, its examples, its figures. Without PyTorch."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from tokenizers import Tokenizer

from factmill.models.answering.span_models.span_examples import SpanExample, SpanTraining
from factmill.models.answering.span_models.span_model import SpanModel

Row = TypeVar("Row")
# One row in so many is held out, and no more than this.
_HELD_OUT_ONE_IN, _MOST_HELD_OUT = 16, 300


Prepare: TypeAlias = Callable[[Sequence[Row], Tokenizer, int], tuple[list[SpanExample], list[str]]]


@dataclass(frozen=True, slots=True)
class FurtherStep(Generic[Row]):
    """A model that was trained learns on. `rows` makes those of this step of the model and of the
    rows that it was trained on; `prepare` examples of them. No fewer layers are tuned than in the
    step before."""

    rows: Callable[[SpanModel, Sequence[Row]], list[Row]]
    prepare: Prepare[Row]
    training: SpanTraining


@dataclass(frozen=True, slots=True)
class SpanTrainer(Generic[Row]):
    """`read` makes a row of an object of a file, None of what is none; `prepare` examples of rows,
    with the labels that they use, for a tokenizer and a number of tokens; `figures` says how a
    model does on rows. The model is trained as `training` says, then step by step as `further`
    says."""

    name: str
    option: str
    read: Callable[[Mapping[str, Any]], Row | None]
    prepare: Prepare[Row]
    figures: Callable[[SpanModel, Sequence[Row]], dict[str, float]]
    training: SpanTraining
    further: tuple[FurtherStep[Row], ...] = ()

    @property
    def settings(self) -> dict[str, Any]:
        """How it is trained; another one is another model."""
        further = [asdict(step.training) for step in self.further]
        return {**asdict(self.training), **({"further": further} if further else {})}


def held_out(rows: Sequence[Row], seed: int) -> tuple[list[Row], list[Row]]:
    """The rows to fit, and those to measure by."""
    shuffled = random.Random(seed).sample(rows, len(rows))
    count = min(_MOST_HELD_OUT, len(rows) // _HELD_OUT_ONE_IN)
    return shuffled[count:], shuffled[:count]

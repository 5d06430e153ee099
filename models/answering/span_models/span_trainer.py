"""What is particular of each span model: its name, its examples, its figures. Without PyTorch."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

from tokenizers import Tokenizer

from factmill.models.answering.span_models.span_examples import SpanExample, SpanTraining
from factmill.models.answering.span_models.span_model import SpanModel

Row = TypeVar("Row")
# One row in so many is held out, and no more than this.
_HELD_OUT_ONE_IN, _MOST_HELD_OUT = 16, 300


@dataclass(frozen=True, slots=True)
class SpanTrainer(Generic[Row]):
    """`read` makes a row of an object of a file, None of what is none; `prepare` examples of rows,
    with the labels that they use, for a tokenizer and a number of tokens; `figures` says how a
    model does on rows. Where there is `more`, it makes more rows of rows with the model that was
    trained on these, which is then tuned on all of them as `further` says."""

    name: str
    option: str
    read: Callable[[Mapping[str, Any]], Row | None]
    prepare: Callable[[Sequence[Row], Tokenizer, int], tuple[list[SpanExample], list[str]]]
    figures: Callable[[SpanModel, Sequence[Row]], dict[str, float]]
    training: SpanTraining
    more: Callable[[SpanModel, Sequence[Row]], list[Row]] | None = None
    further: SpanTraining | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """How it is trained; another one is another model."""
        further = {"further": asdict(self.further)} if self.further else {}
        return {**asdict(self.training), **further}


def held_out(rows: Sequence[Row], seed: int) -> tuple[list[Row], list[Row]]:
    """The rows to fit, and those to measure by."""
    shuffled = random.Random(seed).sample(rows, len(rows))
    count = min(_MOST_HELD_OUT, len(rows) // _HELD_OUT_ONE_IN)
    return shuffled[count:], shuffled[:count]

"""Examples of spans, and how a span model is trained on them. Plain data, without PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpanExample:
    """`tokens` (n,) are token numbers, `allowed` (n,) where spans may begin and end; `start` and
    `end` are the first and the last token of the span, `label` its label, -1 for none."""

    tokens: Sequence[int]
    allowed: Sequence[bool]
    start: int
    end: int
    label: int = -1


@dataclass(frozen=True, slots=True)
class SpanTraining:
    """`warm_up` is the share of steps with a rising rate, which falls to nothing over the others;
    the linear map learns at `head_rate`. With `paired` columns, a first and a last token are scored
    together."""

    tuned_layers: int = 4
    epochs: int = 3
    batch: int = 16
    learning_rate: float = 1e-4
    head_rate: float = 1e-3
    warm_up: float = 0.1
    dropout: float = 0.1
    clip: float = 1.0
    paired: int = 0
    seed: int = 17

"""Tuning the upper layers of an encoder, and a linear map above them, to mark spans.

    token numbers -> lower layers (fixed, run once for each example) -> upper layers -> linear map
                  -> cross-entropy of first token, last token, and label at the first token;
                     where tokens are paired, of the span among all spans, and of its label

Deterministic for equal examples, configuration and number of threads on one machine. Knows nothing
of questions and of builds.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from factmill.models.answering.span_models.span_examples import SpanExample, SpanTraining
from factmill.models.answering.span_models.span_model import (
    END,
    HEAD_BIAS,
    HEAD_WEIGHT,
    START,
    HeadColumns,
    head_columns,
    tuned_names,
)
from factmill.models.answering.span_models.torch_bert import embedded, layer, relative_scores
from factmill.models.arrays import Floats
from factmill.models.encoding.bert import Bert
from factmill.models.encoding.fine_tuning import rate_factor
from factmill.schemas.progress_events import report_progress

# The output of the lower layers is kept for this many tokens (two bytes a dimension) and computed
# again for the others.
_TOKENS_KEPT = 1 << 20
# The number of batches whose examples are sorted by length before they are divided into batches.
_BATCHES_SORTED = 24


def tune(
    bert: Bert,
    examples: Sequence[SpanExample],
    labels: int,
    config: SpanTraining,
    start: Mapping[str, Floats] | None = None,
    title: str = "training a span model",
) -> dict[str, Floats]:
    """The tuned weights and the linear map, by the names that `span_model.py` reads.

    `start` are the weights of an earlier tuning of the same encoder, to continue from. Raises
    ValueError if they have another linear map, or tuned layers that would not be tuned now and so
    be lost. Progress is reported under `title`.
    """
    if start is not None:
        _check_start(bert, start, labels, config)
        tuned = {name: values for name, values in start.items() if name in bert.weights}
        bert = Bert({**bert.weights, **tuned}, bert.shape)
    # Dropout draws from PyTorch's global generator, which belongs to the caller.
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        model = _TunedModel(bert, labels, config)
        if start is not None:
            model.set_head(start)
        _fit(model, examples, config, title)
        return model.weights()


def _fit(
    model: _TunedModel, examples: Sequence[SpanExample], config: SpanTraining, title: str
) -> None:
    """All steps over the examples."""
    batches = _batches(examples, config)
    optimiser = torch.optim.AdamW(
        [
            {"params": list(model.tuned.values()), "lr": config.learning_rate},
            {"params": [model.weight, model.bias], "lr": config.head_rate},
        ]
    )
    rates = [group["lr"] for group in optimiser.param_groups]
    everything = [p for group in optimiser.param_groups for p in group["params"]]
    for step, rows in enumerate(batches):
        report_progress(title, step, len(batches))
        factor = rate_factor(step, len(batches), config.warm_up)
        for group, rate in zip(optimiser.param_groups, rates, strict=True):
            group["lr"] = rate * factor
        loss = _loss(model, examples, rows)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(everything, config.clip)
        optimiser.step()


def _check_start(
    bert: Bert, start: Mapping[str, Floats], labels: int, config: SpanTraining
) -> None:
    lost = start.keys() & bert.weights.keys() - {*tuned_names(bert, config.tuned_layers)}
    if lost:
        raise ValueError(f"{config.tuned_layers} tuned layers: {min(lost)} was tuned before")
    width = head_columns(labels, config.paired).width
    if len(start[HEAD_BIAS]) != width:
        raise ValueError(f"a linear map of {width} columns: {len(start[HEAD_BIAS])} before")


def _batches(examples: Sequence[SpanExample], config: SpanTraining) -> list[list[int]]:
    """Rows of the examples of every step, of about one length, in an order drawn by the seed."""
    shuffle = random.Random(config.seed)
    batches: list[list[int]] = []
    for _ in range(config.epochs):
        order = shuffle.sample(range(len(examples)), len(examples))
        size = config.batch * _BATCHES_SORTED
        epoch = []
        for first in range(0, len(order), size):
            some = sorted(order[first : first + size], key=lambda row: len(examples[row].tokens))
            epoch += [some[n : n + config.batch] for n in range(0, len(some), config.batch)]
        batches += shuffle.sample(epoch, len(epoch))
    return batches


def _loss(model: _TunedModel, examples: Sequence[SpanExample], rows: Sequence[int]) -> Tensor:
    scores = model(examples, rows)
    some = [examples[row] for row in rows]
    if model.columns.paired:
        losses = [_pair_loss(scores[n], one, model.columns) for n, one in enumerate(some)]
        return torch.stack(losses).mean()
    length = scores.shape[1]
    allowed = torch.zeros(len(some), length, dtype=torch.bool)
    for row, example in enumerate(some):
        allowed[row, : len(example.allowed)] = torch.tensor(example.allowed, dtype=torch.bool)
    starts = torch.tensor([example.start for example in some])
    ends = torch.tensor([example.end for example in some])
    loss = sum(
        functional.cross_entropy(
            scores[:, :, column].masked_fill(~allowed, -torch.inf), wanted
        )
        for column, wanted in ((START, starts), (END, ends))
    ) / 2  # fmt: skip
    labels = torch.tensor([example.label for example in some])
    if model.columns.labelled and bool((labels >= 0).any()):
        there = scores[torch.arange(len(some)), starts, model.columns.labels]
        loss = loss + functional.cross_entropy(there, labels, ignore_index=-1)
    assert isinstance(loss, Tensor)
    return loss


def _pair_loss(scores: Tensor, example: SpanExample, columns: HeadColumns) -> Tensor:
    """The loss of one example's scores, shape (tokens, columns)."""
    rows = [row for row, allowed in enumerate(example.allowed) if allowed]
    there = scores[rows]
    together = there[:, columns.firsts] @ there[:, columns.lasts].T / math.sqrt(columns.paired)
    spans = there[:, START, None] + there[None, :, END] + together
    backwards = torch.ones_like(spans, dtype=torch.bool).tril(-1)
    wanted = rows.index(example.start) * len(rows) + rows.index(example.end)
    loss = -functional.log_softmax(spans.masked_fill(backwards, -torch.inf).flatten(), 0)[wanted]
    if not columns.labelled or example.label < 0:
        return loss
    labels = scores[example.start, columns.labels] + scores[example.end, columns.end_labels]
    return loss - functional.log_softmax(labels, 0)[example.label]


class _TunedModel:
    """The encoder with tensors of its own for what is tuned."""

    def __init__(self, bert: Bert, labels: int, config: SpanTraining) -> None:
        self._bert, self._config = bert, config
        self.columns = head_columns(labels, config.paired)
        names = tuned_names(bert, config.tuned_layers)
        self.tuned = {name: torch.tensor(bert.weights[name], requires_grad=True) for name in names}
        self._fixed = {
            name: torch.from_numpy(np.asarray(values))
            for name, values in bert.weights.items()
            if name not in self.tuned
        }
        width = self.columns.width
        self.weight = (0.02 * torch.randn(width, bert.dimension)).requires_grad_()
        self.bias = torch.zeros(width, requires_grad=True)
        self._kept: dict[int, Tensor] = {}
        # In one epoch every example comes once.
        self._room = _TOKENS_KEPT if config.epochs > 1 else 0

    def __call__(self, examples: Sequence[SpanExample], rows: Sequence[int]) -> Tensor:
        """Scores, shape (rows, tokens of the longest, columns)."""
        below = [self._below(row, examples[row]) for row in rows]
        values = torch.nn.utils.rnn.pad_sequence(below, batch_first=True).float()
        lengths = torch.tensor([len(one) for one in below])
        seen = torch.arange(values.shape[1])[None, :] < lengths[:, None]
        first = self._bert.shape.layers - self._config.tuned_layers
        weights: Mapping[str, Tensor] = self.tuned
        apart = relative_scores(self._bert, values.shape[1])
        # Half of the time of single precision where a processor has it; sums stay single.
        with torch.autocast("cpu", dtype=torch.bfloat16):
            for number in range(first, self._bert.shape.layers):
                values = layer(
                    weights, self._bert, number, values, seen, apart, self._config.dropout
                )
        return functional.linear(values.float(), self.weight, self.bias)

    def set_head(self, weights: Mapping[str, Floats]) -> None:
        """Take over the linear map of a model with the same labels."""
        with torch.no_grad():
            self.weight.copy_(torch.from_numpy(weights[HEAD_WEIGHT]))
            self.bias.copy_(torch.from_numpy(weights[HEAD_BIAS]))

    def weights(self) -> dict[str, Floats]:
        """What is stored."""
        tensors = {**self.tuned, HEAD_WEIGHT: self.weight, HEAD_BIAS: self.bias}
        return {name: values.detach().numpy().copy() for name, values in tensors.items()}

    def _below(self, row: int, example: SpanExample) -> Tensor:
        """What the fixed layers give for an example."""
        if row in self._kept:
            return self._kept[row]
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            tokens = torch.tensor([list(example.tokens)])
            values = embedded(self._fixed, self._bert, tokens)
            seen = torch.ones_like(tokens, dtype=torch.bool)
            apart = relative_scores(self._bert, len(example.tokens))
            for number in range(self._bert.shape.layers - self._config.tuned_layers):
                values = layer(self._fixed, self._bert, number, values, seen, apart)
        found = values[0].bfloat16()
        if len(found) <= self._room:
            self._room -= len(found)
            self._kept[row] = found
        return found

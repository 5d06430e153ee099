"""Scores of thousands of inputs by a span model, in PyTorch: what labelling examples needs.

They are those of `SpanModel` but for the rounding of bfloat16, in a fifth of the time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch.nn import functional

from factmill.models.answering.span_models.span_model import SpanModel, SpanScores, by_column
from factmill.models.answering.span_models.torch_bert import embedded, layer, relative_scores
from factmill.models.encoding.bert import TokenIds
from factmill.schemas.progress_events import report_progress

_INPUTS_AT_ONCE = 32


def scores_of_many(model: SpanModel, inputs: Sequence[TokenIds]) -> list[SpanScores]:
    """The scores of every input, in their order. Inputs of about one length go through the model
    together. Raises CorruptStore."""
    bert, head, bias = model.parts
    weights = {name: torch.from_numpy(np.asarray(values)) for name, values in bert.weights.items()}
    order = sorted(range(len(inputs)), key=lambda row: len(inputs[row]))
    found: dict[int, SpanScores] = {}
    for first in range(0, len(order), _INPUTS_AT_ONCE):
        report_progress("labelling examples", first, len(order))
        rows = order[first : first + _INPUTS_AT_ONCE]
        texts = [torch.from_numpy(inputs[row]) for row in rows]
        tokens = torch.nn.utils.rnn.pad_sequence(texts, batch_first=True)
        lengths = torch.tensor([len(text) for text in texts])
        seen = torch.arange(tokens.shape[1])[None, :] < lengths[:, None]
        with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
            values = embedded(weights, bert, tokens)
            apart = relative_scores(bert, tokens.shape[1])
            for number in range(bert.shape.layers):
                values = layer(weights, bert, number, values, seen, apart)
        columns = functional.linear(values.float(), torch.from_numpy(head), torch.from_numpy(bias))
        for row, length, scores in zip(rows, lengths.tolist(), columns.numpy(), strict=True):
            found[row] = by_column(scores[:length], model.card.columns)
    return [found[row] for row in range(len(inputs))]

"""The layers of BERT in PyTorch, with their gradients: what tuning needs.

They do what `models/encoding/bert.py` does in NumPy for one text; a test compares the two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional

from factmill.models.encoding.bert import Bert


def embedded(weights: Mapping[str, Tensor], bert: Bert, tokens: Tensor) -> Tensor:
    """What the first layer reads, shape (texts, tokens, dimension)."""
    first = bert.shape.first_position
    values = (
        weights["embeddings.word_embeddings.weight"][tokens]
        + weights["embeddings.position_embeddings.weight"][first : first + tokens.shape[1]]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    return _normalised(weights, bert, "embeddings.LayerNorm", values)


def relative_scores(bert: Bert, tokens: int) -> Tensor | None:
    """What relative positions add to attention, shape (heads, tokens, tokens), which no training
    changes; None in a model without them."""
    found = bert.relative_scores(tokens)
    return None if found is None else torch.from_numpy(found)


def layer(
    weights: Mapping[str, Tensor],
    bert: Bert,
    number: int,
    values: Tensor,
    seen: Tensor,
    apart: Tensor | None = None,
    dropout: float = 0.0,
) -> Tensor:
    """One layer of BERT; `seen` (texts, tokens) is false for padding, `apart` is what relative
    positions add to attention."""
    part = f"encoder.layer.{number}"

    def linear(name: str, inputs: Tensor) -> Tensor:
        found = f"{part}.{name}"
        return functional.linear(inputs, weights[f"{found}.weight"], weights[f"{found}.bias"])

    def by_head(name: str) -> Tensor:
        projected = linear(f"attention.self.{name}", values)
        return projected.reshape(*projected.shape[:2], bert.shape.heads, -1).transpose(1, 2)

    # On a CPU in bfloat16 PyTorch's own attention takes four times as long, forwards and backwards.
    queries = by_head("query")
    unseen = torch.zeros_like(seen, dtype=queries.dtype).masked_fill(~seen, -torch.inf)
    alike = (queries / math.sqrt(queries.shape[-1])) @ by_head("key").transpose(2, 3)
    if apart is not None:
        alike = alike + apart
    shares = torch.softmax(alike + unseen[:, None, None, :], dim=-1)
    mixed = (shares @ by_head("value")).transpose(1, 2).flatten(2)
    attended = linear("attention.output.dense", mixed)
    attended = functional.dropout(attended, dropout)
    values = _normalised(weights, bert, f"{part}.attention.output.LayerNorm", values + attended)
    wide = functional.gelu(linear("intermediate.dense", values))
    narrow = functional.dropout(linear("output.dense", wide), dropout)
    return _normalised(weights, bert, f"{part}.output.LayerNorm", values + narrow)


def _normalised(weights: Mapping[str, Tensor], bert: Bert, name: str, values: Tensor) -> Tensor:
    return functional.layer_norm(
        values,
        (bert.dimension,),
        weights[f"{name}.weight"],
        weights[f"{name}.bias"],
        bert.shape.epsilon,
    )

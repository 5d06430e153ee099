"""R2-Former in PyTorch, with the weights and names of `r2former.py`; a test compares the two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from factmill.models.answering.r2former.r2former import R2FormerCard, weight_shapes
from factmill.models.answering.r2former.training_config import RankedExample
from factmill.models.arrays import Floats

# Weights that are computed from the examples, not trained.
_MEASURED = ("centre", "spread")
_SMALL = 0.02
# Keeps least squares solvable with fewer documents than dimensions.
_RIDGE = 1.0


class TrainableR2Former(nn.Module):
    """R2-Former as a PyTorch module. Initial weights are drawn from PyTorch's generator."""

    def __init__(
        self, card: R2FormerCard, examples: Sequence[RankedExample], dropout: float = 0.1
    ) -> None:
        """The mean and spread of the features come from the examples; at least one document."""
        super().__init__()
        self.card, self.dropout = card, dropout
        everything = np.concatenate([example.features for example in examples])
        self.parts: dict[str, Tensor] = {}
        for name, shape in weight_shapes(card):
            if name in _MEASURED:
                continue
            if name.endswith("norm.weight"):
                start = torch.ones(shape)
            elif name.endswith("bias"):
                start = torch.zeros(shape)
            elif name == "positions":
                start = _SMALL * torch.randn(shape)
            else:
                start = nn.init.xavier_uniform_(torch.empty(shape))
            parameter = nn.Parameter(start)
            self.parts[name] = parameter
            self.register_parameter(name.replace(".", "_"), parameter)
        self.parts["centre"] = torch.from_numpy(everything.mean(axis=0))
        # The spread is stored in half precision, in which a smaller one would become 0.
        self.parts["spread"] = torch.from_numpy(np.maximum(everything.std(axis=0), 1e-3))

    def states(self, features: Tensor, there: Tensor) -> Tensor:
        """The input of the output heads, shape (rankings, documents, width). `features` has shape
        (rankings, documents, features); `there`, shape (rankings, documents), is false for padding.
        """
        scaled = (features - self.parts["centre"]) / self.parts["spread"]
        values = self._mapped("input", scaled) + self.parts["positions"][: features.shape[1]]
        projected = self._mapped("attention", values)
        by_head = projected.reshape(*projected.shape[:2], 3, self.card.heads, -1)
        queries, keys, contents = by_head.unbind(2)
        mixed = functional.scaled_dot_product_attention(
            queries.transpose(1, 2), keys.transpose(1, 2), contents.transpose(1, 2),
            attn_mask=there[:, None, None, :],
        ).transpose(1, 2).flatten(2)  # fmt: skip
        attended = self._dropped(self._mapped("attended", mixed))
        values = self._normalised("attended_norm", values + attended)
        wide = self._dropped(functional.relu(self._mapped("widened", values)))
        narrow = self._dropped(self._mapped("narrowed", wide))
        return self._normalised("narrowed_norm", values + narrow)

    def relevance(self, states: Tensor) -> Tensor:
        """Log-odds, shape (rankings, documents)."""
        return self._mapped("relevance", states)[..., 0]

    def embeddings(self, states: Tensor) -> Tensor:
        """Vectors, shape (rankings, documents, llm_width)."""
        return self._mapped("embedding", states)

    def begin_embeddings(
        self, relevant: Tensor, other: Tensor, examples: Sequence[RankedExample]
    ) -> None:
        """Initialise embeddings between two marks, vectors of the LLM's width: near `relevant` for
        relevant documents, near `other` for the rest. Least squares over the labels of documents
        determines the position in between.
        """
        with torch.no_grad():
            features, labels, there = padded(examples)
            states = functional.pad(self.states(features, there)[there], (0, 1), value=1.0)
            squares = states.T @ states + _RIDGE * torch.eye(states.shape[1])
            share = torch.linalg.solve(squares, states.T @ labels[there])
            way = relevant - other
            self.parts["embedding.weight"].copy_(way[:, None] * share[None, :-1])
            self.parts["embedding.bias"].copy_(other + way * share[-1])

    def begin_with(self, weights: Mapping[str, Floats]) -> None:
        """Copy weights by name; the others keep their initial values. Raises KeyError for a name
        that it has not, RuntimeError for another shape."""
        with torch.no_grad():
            for name, values in weights.items():
                self.parts[name].copy_(torch.from_numpy(values))

    def weights(self) -> dict[str, Floats]:
        """The weights in the form that `R2Former` reads."""
        return {name: part.detach().numpy().copy() for name, part in self.parts.items()}

    def _mapped(self, name: str, values: Tensor) -> Tensor:
        return functional.linear(values, self.parts[f"{name}.weight"], self.parts[f"{name}.bias"])

    def _dropped(self, values: Tensor) -> Tensor:
        return functional.dropout(values, self.dropout, self.training)

    def _normalised(self, name: str, values: Tensor) -> Tensor:
        return functional.layer_norm(
            values, values.shape[-1:], self.parts[f"{name}.weight"], self.parts[f"{name}.bias"]
        )


def padded(examples: Sequence[RankedExample]) -> tuple[Tensor, Tensor, Tensor]:
    """Features, shape (rankings, documents, features), labels and `there`, shape (rankings,
    documents), of some rankings, padded to the longest; `there` is false for padding."""
    features = nn.utils.rnn.pad_sequence([torch.from_numpy(e.features) for e in examples], True)
    labels = nn.utils.rnn.pad_sequence(
        [torch.from_numpy(example.relevant).float() for example in examples], True
    )
    lengths = torch.tensor([len(example.relevant) for example in examples])
    return features, labels, torch.arange(features.shape[1])[None] < lengths[:, None]


def relevance_loss(scores: Tensor, labels: Tensor, there: Tensor) -> Tensor:
    """The mean binary cross-entropy of documents (R2AG, equation 5)."""
    return functional.binary_cross_entropy_with_logits(scores[there], labels[there])

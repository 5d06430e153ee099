"""The forward pass of BERT in NumPy: encodes queries without PyTorch.

It runs one text at a time, without padding or masks, so a text's vectors do not depend on other
texts. A text uses one core: a service has other queries for the others. Weights have the names that
transformers gives to BertModel and RobertaModel, whose layers are the same (Devlin et al., BERT,
2019). MPNet's are, too, but for relative positions. Knows nothing of files, tokens and pooling.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factmill.models.arrays import Floats
from factmill.models.encoding.relative_positions import MIN_BUCKETS, position_buckets
from factmill.models.encoding.transformer_arithmetic import attention, gelu, layer_norm, linear

TokenIds = npt.NDArray[np.int64]

_WORDS = "embeddings.word_embeddings.weight"
_POSITIONS = "embeddings.position_embeddings.weight"
TOKEN_TYPES = "embeddings.token_type_embeddings.weight"
_RELATIVE = "encoder.relative_attention_bias.weight"
# Names of a layer's parts below `encoder.layer.N`.
_QUERY, _KEY, _VALUE = (f"attention.self.{name}" for name in ("query", "key", "value"))
_ATTENDED, _ATTENDED_NORM = "attention.output.dense", "attention.output.LayerNorm"
_WIDENED, _NARROWED, _NARROWED_NORM = "intermediate.dense", "output.dense", "output.LayerNorm"
_MAX_LAYERS = _MAX_BUCKETS = 1000


@dataclass(frozen=True, slots=True)
class BertShape:
    """Parameters that the weights do not determine. `first_position` is that of a text's first
    token: 0, and in RoBERTa's family one more than the number of the padding token. With
    `relative_buckets`, as in MPNet, attention also knows how far apart two tokens are; 0 for none.
    """

    layers: int
    heads: int
    epsilon: float
    first_position: int = 0
    relative_buckets: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.layers <= _MAX_LAYERS or self.heads < 1:
            raise ValueError(f"{self.layers} layers of {self.heads} heads")
        if not 0 < self.epsilon < 1 or self.first_position < 0:
            raise ValueError(f"epsilon {self.epsilon}, first position {self.first_position}")
        buckets = self.relative_buckets
        if buckets and (not MIN_BUCKETS <= buckets <= _MAX_BUCKETS or buckets % 2):
            raise ValueError(f"{buckets} buckets of relative positions")


def weight_names(shape: BertShape) -> Iterator[str]:
    """The names of all weights of a model of this shape."""
    yield from (_WORDS, _POSITIONS, TOKEN_TYPES)
    if shape.relative_buckets:
        yield _RELATIVE
    parts = (
        _QUERY, _KEY, _VALUE, _ATTENDED, _ATTENDED_NORM, _WIDENED, _NARROWED, _NARROWED_NORM,
    )  # fmt: skip
    for part in (
        "embeddings.LayerNorm",
        *(_part(n, part) for n in range(shape.layers) for part in parts),
    ):
        yield from (f"{part}.weight", f"{part}.bias")


class Bert:
    """A model with consistent weights."""

    def __init__(self, weights: Mapping[str, Floats], shape: BertShape) -> None:
        """Raises KeyError for a missing weight, ValueError for one of the wrong shape."""
        self.weights, self.shape = weights, shape
        words, positions = weights[_WORDS], weights[_POSITIONS]
        if words.ndim != 2 or positions.ndim != 2:
            raise ValueError("its embeddings are not matrices")
        self.vocabulary_size, self.dimension = words.shape
        self.longest = positions.shape[0] - shape.first_position
        if self.longest < 1 or not self.dimension or self.dimension % shape.heads:
            raise ValueError(f"{shape.heads} heads over {self.dimension} dimensions")
        self._check_shapes()

    def __call__(self, tokens: TokenIds) -> Floats:
        """Vectors of a text's tokens, shape (tokens, dimension); at most `longest` tokens, each
        below `vocabulary_size`."""
        weights, shape = self.weights, self.shape
        first = shape.first_position
        values = weights[_WORDS][tokens] + weights[_POSITIONS][first : first + len(tokens)]
        values = self._normalised("embeddings.LayerNorm", values + weights[TOKEN_TYPES][0])
        apart = self.relative_scores(len(tokens))
        for number in range(shape.layers):
            values = self._layer(number, values, apart)
        return values

    def relative_scores(self, tokens: int) -> Floats | None:
        """What each head of every layer adds to the attention of tokens this far apart, shape
        (heads, tokens, tokens); None without relative positions."""
        if not self.shape.relative_buckets:
            return None
        buckets = position_buckets(tokens, self.shape.relative_buckets)
        return np.ascontiguousarray(self.weights[_RELATIVE][buckets].transpose(2, 0, 1))

    def _layer(self, number: int, values: Floats, apart: Floats | None) -> Floats:
        attended = self._linear(_part(number, _ATTENDED), self._attention(number, values, apart))
        values = self._normalised(_part(number, _ATTENDED_NORM), values + attended)
        wide = gelu(self._linear(_part(number, _WIDENED), values))
        narrow = self._linear(_part(number, _NARROWED), wide)
        return self._normalised(_part(number, _NARROWED_NORM), values + narrow)

    def _attention(self, number: int, values: Floats, apart: Floats | None) -> Floats:
        heads = self.shape.heads
        width = self.dimension // heads

        def by_head(part: str) -> Floats:
            projected = self._linear(_part(number, part), values)
            return projected.reshape(len(values), heads, width).transpose(1, 0, 2)

        return attention(by_head(_QUERY), by_head(_KEY), by_head(_VALUE), apart)

    def _linear(self, part: str, values: Floats) -> Floats:
        return linear(values, self.weights[f"{part}.weight"], self.weights[f"{part}.bias"])

    def _normalised(self, part: str, values: Floats) -> Floats:
        weight, bias = self.weights[f"{part}.weight"], self.weights[f"{part}.bias"]
        return layer_norm(values, weight, bias, self.shape.epsilon)

    def _check_shapes(self) -> None:
        dimension = self.dimension
        wide = self.weights[_part(0, _WIDENED) + ".bias"].size
        widths = {_WIDENED: (wide, dimension), _NARROWED: (dimension, wide)}
        for name in weight_names(self.shape):
            found = self.weights[name].shape
            part, _, kind = name.rpartition(".")
            if name == _RELATIVE:
                right = found == (self.shape.relative_buckets, self.shape.heads)
            elif name.startswith("embeddings.") and "LayerNorm" not in name:
                right = len(found) == 2 and found[0] > 0 and found[1] == dimension
            else:
                matrix = next((widths[end] for end in widths if _is_part(part, end)), None)
                rows, columns = matrix or (dimension, dimension)
                is_vector = kind == "bias" or part.endswith("LayerNorm")
                right = found == ((rows,) if is_vector else (rows, columns))
            if not right:
                raise ValueError(f"{name} of shape {found}")


def _part(number: int, name: str) -> str:
    return f"encoder.layer.{number}.{name}"


def _is_part(part: str, name: str) -> bool:
    return part.startswith("encoder.layer.") and part.split(".", 3)[3] == name

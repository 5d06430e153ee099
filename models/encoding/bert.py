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

TokenIds = npt.NDArray[np.int64]

_WORDS = "embeddings.word_embeddings.weight"
_POSITIONS = "embeddings.position_embeddings.weight"
TOKEN_TYPES = "embeddings.token_type_embeddings.weight"
_RELATIVE = "encoder.relative_attention_bias.weight"
# Names of a layer's parts below `encoder.layer.N`.
_QUERY, _KEY, _VALUE = (f"attention.self.{name}" for name in ("query", "key", "value"))
_ATTENDED, _ATTENDED_NORM = "attention.output.dense", "attention.output.LayerNorm"
_WIDENED, _NARROWED, _NARROWED_NORM = "intermediate.dense", "output.dense", "output.LayerNorm"
# Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26; its error is below 1.5e-7.
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_T = 0.3275911
# From _MANY_ROWS rows on, products are made in blocks of _BLOCK_ROWS rows; OpenBLAS leaves products
# of up to _UNSPLIT multiplications to one core.
_MANY_ROWS, _BLOCK_ROWS, _MAX_BLOCK_COLUMNS = 32, 8, 64
_UNSPLIT = 1 << 18
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
        """softmax(Q K^T / sqrt(width) + apart) V of each head, side by side."""
        heads = self.shape.heads
        width = self.dimension // heads

        def by_head(part: str) -> Floats:
            projected = self._linear(_part(number, part), values)
            return projected.reshape(len(values), heads, width).transpose(1, 0, 2)

        queries, keys, contents = by_head(_QUERY), by_head(_KEY), by_head(_VALUE)
        scores = products(queries, keys) / np.float32(np.sqrt(width))
        if apart is not None:
            scores += apart
        shares = np.exp(scores - scores.max(axis=2, keepdims=True))
        shares /= shares.sum(axis=2, keepdims=True)
        mixed = products(shares, np.ascontiguousarray(contents.transpose(0, 2, 1)))
        return mixed.transpose(1, 0, 2).reshape(values.shape)

    def _linear(self, part: str, values: Floats) -> Floats:
        return products(values, self.weights[f"{part}.weight"]) + self.weights[f"{part}.bias"]

    def _normalised(self, part: str, values: Floats) -> Floats:
        """Layer normalisation."""
        centred = values - values.mean(axis=1, keepdims=True)
        variance = (centred * centred).mean(axis=1, keepdims=True)
        scaled: Floats = centred / np.sqrt(variance + np.float32(self.shape.epsilon))
        return scaled * self.weights[f"{part}.weight"] + self.weights[f"{part}.bias"]

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


def products(rows: Floats, columns: Floats) -> Floats:
    """`rows @ columns^T`, shape (..., rows, columns), on one core.

    For the few rows of a query, NumPy's `@` splits each small matrix among all cores, which then
    wait for each other, on a busy machine ten times as long as they work; only environment
    variables could prevent that. Many rows are multiplied in blocks that are too small to be split,
    in a third of the time. Measured in docs/log.md.
    """
    if rows.ndim == columns.ndim == 2 and len(rows) >= _MANY_ROWS:
        width = _block_width(*columns.shape)
        if width >= _BLOCK_ROWS:
            return _in_blocks(rows, columns, width)
    found = np.vecdot(columns[..., :, None, :], rows[..., None, :, :])
    return np.ascontiguousarray(np.swapaxes(found, -1, -2))


def _block_width(columns: int, dimension: int) -> int:
    """The most columns of a block that divide all of them."""
    most = min(_MAX_BLOCK_COLUMNS, _UNSPLIT // (_BLOCK_ROWS * max(1, dimension)))
    return next((width for width in range(most, 0, -1) if columns % width == 0), 0)


def _in_blocks(rows: Floats, columns: Floats, width: int) -> Floats:
    added = -len(rows) % _BLOCK_ROWS
    padded = np.pad(rows, ((0, added), (0, 0)))
    of_rows = padded.reshape(-1, 1, _BLOCK_ROWS, rows.shape[1])
    of_columns = columns.reshape(1, -1, width, columns.shape[1]).swapaxes(-1, -2)
    blocks = np.matmul(of_rows, of_columns).transpose(0, 2, 1, 3)
    found: Floats = np.ascontiguousarray(blocks).reshape(len(padded), len(columns))[: len(rows)]
    return found


def gelu(values: Floats) -> Floats:
    """x times the standard normal distribution function of x."""
    scaled = np.abs(values) * np.float32(np.sqrt(0.5))
    t = 1 / (1 + np.float32(_ERF_T) * scaled)
    polynomial = np.zeros_like(t)
    for coefficient in reversed(_ERF):
        polynomial = (polynomial + np.float32(coefficient)) * t
    erf: Floats = np.copysign(1 - polynomial * np.exp(-scaled * scaled), values)
    return np.float32(0.5) * values * (1 + erf)


def _part(number: int, name: str) -> str:
    return f"encoder.layer.{number}.{name}"


def _is_part(part: str, name: str) -> bool:
    return part.startswith("encoder.layer.") and part.split(".", 3)[3] == name

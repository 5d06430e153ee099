"""A small model that marks a span of its input: the encoder of queries with upper layers tuned for
it, and a linear map that gives every token a score as the span's first token, as its last, and for
each of a few labels that say what the span is. Where its tokens are paired, a first and a last
token are scored together, too: which end belongs to which beginning.

    30_models/<name>/card.json           what it was tuned from and on; written last
                     model.safetensors   tuned layers and the linear map, half precision or 8 bits

Lower layers, embeddings and tokenizer are those of the build's query encoder, so that the files are
small, or of an encoder of its own (`own_encoder.py`). NumPy runs it, as it runs that encoder. What
the files say is not trusted: whatever does not fit is CorruptStore. Knows nothing of training, and
nothing of questions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError, safe_open

from factmill.models.answering.span_models.eight_bits import SCALE, from_eight_bits
from factmill.models.arrays import Floats
from factmill.models.encoding.bert import Bert, TokenIds, weight_names
from factmill.models.encoding.model_cards import read_card
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.models.encoding.transformer_arithmetic import linear, products
from factmill.schemas.errors import CorruptStore
from factmill.schemas.storage.paths import StoragePath, local_copy

WEIGHTS, CARD = "model.safetensors", "card.json"
MODEL_FILES = (WEIGHTS, CARD)
FORMAT = 1
HEAD_WEIGHT, HEAD_BIAS = "head.weight", "head.bias"
# Columns of the linear map before those of the labels.
START, END, LABELS = 0, 1, 2
_MAX_LABELS = _MAX_PAIRED = 256
_LAYER = "encoder.layer."


class HeadColumns(NamedTuple):
    """Columns of the linear map after START and END: labels at the first token, what the last one
    adds to them, and what a first and a last token are scored together by."""

    labels: slice
    end_labels: slice
    firsts: slice
    lasts: slice

    @property
    def width(self) -> int:
        """All columns, START and END too."""
        return int(self.lasts.stop)

    @property
    def labelled(self) -> bool:
        """Whether spans have labels."""
        return bool(self.labels.stop > self.labels.start)

    @property
    def paired(self) -> int:
        """How many columns score a first token together with a last one."""
        return int(self.lasts.stop - self.lasts.start)


def head_columns(labels: int, paired: int) -> HeadColumns:
    """Unless tokens are paired, there is nothing after the labels at the first token."""
    bounds = [LABELS, LABELS + labels]
    for width in (labels if paired else 0, paired, paired):
        bounds.append(bounds[-1] + width)
    return HeadColumns(*(slice(*bound) for bound in pairwise(bounds)))


@dataclass(frozen=True, slots=True)
class SpanCard:
    """What `card.json` says. `encoder` is the fingerprint of the encoder whose upper
    `tuned_layers` were tuned, `labels` what the columns after start and end are for, `training`
    the data, their numbers and settings, `held_out` figures on examples that were not fitted.
    `paired` columns of a first and of a last token score the two together; 0 for none."""

    encoder: str
    tuned_layers: int
    labels: list[str]
    training: dict[str, Any]
    held_out: dict[str, float]
    made_with: list[str]
    paired: int = 0
    format: int = FORMAT

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise ValueError(f"format {self.format!r}, this version reads {FORMAT}")
        if type(self.tuned_layers) is not int or self.tuned_layers < 0:
            raise ValueError(f"{self.tuned_layers!r} tuned layers")
        sound = isinstance(self.labels, list) and all(isinstance(one, str) for one in self.labels)
        if not sound or len(self.labels) > _MAX_LABELS:
            raise ValueError("its labels are not a short list of texts")
        if type(self.paired) is not int or not 0 <= self.paired <= _MAX_PAIRED:
            raise ValueError(f"{self.paired!r} paired columns")

    @property
    def columns(self) -> HeadColumns:
        """Those of its linear map."""
        return head_columns(len(self.labels), self.paired)

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: bytes) -> SpanCard:
        """Raises ValueError, TypeError, KeyError or RecursionError for anything but a card."""
        return cls(**json.loads(text))


class SpanScores(NamedTuple):
    """Log-odds of every token: as the first of the span, as its last, and of each label; shapes
    (tokens,), (tokens,) and (tokens, labels). `pairs` are None where tokens are not paired."""

    start: Floats
    end: Floats
    labels: Floats
    pairs: PairScores | None = None

    def joint(self, rows: Sequence[int]) -> tuple[Floats, Floats]:
        """Log-odds of the spans from each of these tokens to each, shape (rows, rows), and of the
        labels of each, shape (rows, rows, labels)."""
        spans = self.start[rows][:, None] + self.end[rows][None, :]
        labels = np.repeat(self.labels[rows][:, None, :], len(rows), axis=1)
        if self.pairs is None:
            return spans, labels
        firsts, lasts = self.pairs.firsts[rows], self.pairs.lasts[rows]
        together = products(firsts, lasts) / math.sqrt(firsts.shape[1])
        return spans + together, labels + self.pairs.end_labels[rows][None, :, :]


class PairScores(NamedTuple):
    """What a last token adds to each label, shape (tokens, labels), and what scores a first and a
    last token together: the product of their rows, shapes (tokens, paired)."""

    end_labels: Floats
    firsts: Floats
    lasts: Floats


class SpanModel:
    """Making one costs nothing: files are read when they are asked for. Thread-safe."""

    def __init__(self, folder: StoragePath, encoder: PublishedEncoder) -> None:
        self.folder, self.encoder = folder, encoder

    @cached_property
    def card(self) -> SpanCard:
        """Raises CorruptStore."""
        return read_card(self.folder / CARD, SpanCard.from_json, "a span model")

    def __call__(self, tokens: TokenIds) -> SpanScores:
        """Scores of a text's tokens. Raises CorruptStore."""
        bert, weight, bias = self.parts
        with np.errstate(all="ignore"):
            scores = linear(bert(tokens), weight, bias)
        if not np.isfinite(scores).all():
            raise CorruptStore(f"{self.folder / WEIGHTS}: its scores are not numbers")
        return by_column(scores, self.card.columns)

    def check(self) -> None:
        """Raises CorruptStore unless it can mark spans."""
        self(np.zeros(1, dtype=np.int64))

    @property
    def longest(self) -> int:
        """Tokens that it reads."""
        return int(self.encoder.bert.longest)

    @cached_property
    def parts(self) -> tuple[Bert, Floats, Floats]:
        """The encoder with its tuned layers, weights and bias of the linear map. Raises
        CorruptStore."""
        path, card, below = self.folder / WEIGHTS, self.card, self.encoder.bert
        if card.encoder != self.encoder.fingerprint:
            raise CorruptStore(f"{path}: tuned from another encoder than the build has")
        try:
            names = tuned_names(below, card.tuned_layers)
            with safe_open(local_copy(path), framework="numpy") as file:
                tuned = {name: _tensor(file, name) for name in names}
                weight, bias = _tensor(file, HEAD_WEIGHT), _tensor(file, HEAD_BIAS)
            width = card.columns.width
            if weight.shape != (width, below.dimension) or bias.shape != (width,):
                raise ValueError(f"a linear map of shape {weight.shape}, bias {bias.shape}")
            return Bert({**below.weights, **tuned}, below.shape), weight, bias
        except (
            OSError, SafetensorError, KeyError, TypeError, ValueError, AttributeError
        ) as error:  # fmt: skip
            raise CorruptStore(f"{path}: not the weights of a span model ({error})") from None

    @property
    def tuned_weights(self) -> dict[str, Floats]:
        """The tensors of its file, in single precision. Raises CorruptStore."""
        bert, weight, bias = self.parts
        names = tuned_names(bert, self.card.tuned_layers)
        tuned = {name: bert.weights[name] for name in names}
        return {**tuned, HEAD_WEIGHT: weight, HEAD_BIAS: bias}


def by_column(scores: Floats, columns: HeadColumns) -> SpanScores:
    """What the linear map gives, shape (tokens, columns), by what its columns are for."""
    pairs = PairScores(*(scores[:, one] for one in columns[1:])) if columns.paired else None
    return SpanScores(scores[:, START], scores[:, END], scores[:, columns.labels], pairs)


def tuned_names(bert: Bert, tuned_layers: int) -> list[str]:
    """The names of the weights of the upper layers. Raises ValueError for more than there are."""
    first = bert.shape.layers - tuned_layers
    if first < 0:
        raise ValueError(f"{tuned_layers} tuned layers of {bert.shape.layers}")
    names = (name for name in weight_names(bert.shape) if name.startswith(_LAYER))
    return [name for name in names if int(name.split(".")[2]) >= first]


def _tensor(file: Any, name: str) -> Floats:
    """A tensor of a file. Raises ValueError unless it is one of 16-bit floats, or of 8 bits with
    scales."""
    values = file.get_tensor(name)
    if values.dtype == np.int8:
        return from_eight_bits(values, file.get_tensor(name + SCALE))
    if values.dtype != np.float16:
        raise ValueError(f"{name} of {values.dtype}")
    return np.ascontiguousarray(values, dtype=np.float32)

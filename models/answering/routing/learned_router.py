"""The trained router: a linear model over a question's shape and its vector.

    question -> shape (grams, counts)  \\
    vector of the default encoder      /-> four scores -> softmax -> probabilities

`router_weights.safetensors` has two sets of weights: one for vectors of the default encoder, and
one without vectors, for indexes with any other encoder. `factmill.pipelines.train_revelator` trains
them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from factmill.models.answering.routing.question_shape import (
    COUNTS,
    shape_counts,
    shape_grams,
    shape_words,
)
from factmill.models.answering.routing.route import RouteProbabilities
from factmill.models.arrays import Floats

# There are many grams, while a vector's numbers are about a twentieth each. Scaling makes a penalty
# on squared weights fair to both.
_GRAM, _VECTOR = 0.5, 2.0


@dataclass(frozen=True, slots=True)
class RouterWeights:
    """`grams` are those with a column, in order. Rows of the weights follow `Route`; columns are
    the bias, COUNTS, the grams, and with a vector its numbers. `encoder` is the fingerprint of the
    encoder that `with_vector` was trained for.
    """

    grams: tuple[str, ...]
    without_vector: Floats
    with_vector: Floats
    encoder: str

    @classmethod
    def of(cls, tensors: Mapping[str, npt.NDArray[Any]]) -> RouterWeights:
        return cls(
            tuple(json.loads(tensors["grams"].tobytes())),
            tensors["without_vector"].astype(np.float32),
            tensors["with_vector"].astype(np.float32),
            tensors["encoder"].tobytes().decode("ascii"),
        )

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        """The input of `of`."""
        return {
            "grams": np.frombuffer(json.dumps(self.grams).encode("utf-8"), np.uint8),
            "without_vector": self.without_vector.astype(np.float16),
            "with_vector": self.with_vector.astype(np.float16),
            "encoder": np.frombuffer(self.encoder.encode("ascii"), np.uint8),
        }


class LearnedRouter:
    """A router with trained weights. Thread-safe."""

    def __init__(self, weights: RouterWeights, encoder: str) -> None:
        """`encoder` is the fingerprint of the encoder of the question vectors."""
        self._columns = {gram: column for column, gram in enumerate(weights.grams)}
        self._uses_vector = encoder == weights.encoder
        self._weights = weights.with_vector if self._uses_vector else weights.without_vector

    def route(self, question: str, vector: Floats) -> RouteProbabilities:
        """The probability of each route. `vector`, shape (dimension,), is that of the question; it
        may be empty if the encoder is not the default one."""
        features = question_features([question], self._columns)[0]
        if self._uses_vector:
            features = np.concatenate([features, scaled_vectors(vector)])
        return RouteProbabilities(*softmax(features @ self._weights.T).tolist())


def question_features(questions: Sequence[str], columns: Mapping[str, int]) -> Floats:
    """Bias, COUNTS and grams of questions, shape (questions, 1 + COUNTS + columns)."""
    first = 1 + len(COUNTS)
    features = np.zeros((len(questions), first + len(columns)), np.float32)
    features[:, 0] = 1
    for row, question in zip(features, questions, strict=True):
        shape = shape_words(question)
        row[1:first] = shape_counts(question, shape)
        row[[first + columns[gram] for gram in shape_grams(shape) if gram in columns]] = _GRAM
    return features


def scaled_vectors(vectors: Floats) -> Floats:
    """Unit vectors, shape (..., dimension), as feature columns of that shape."""
    scaled: Floats = vectors.astype(np.float32) * np.float32(_VECTOR)
    return scaled


def softmax(scores: Floats) -> Floats:
    """The softmax of scores along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probabilities: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return probabilities

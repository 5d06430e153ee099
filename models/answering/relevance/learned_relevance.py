"""The trained relevance scorer: a small network over features of the search and of words.

    probability = logistic(out . tanh(hidden x + hidden_bias) + out_bias)

Scores are only comparable for one encoder. So `relevance_weights.safetensors` has two networks: one
for the default encoder, and one without SCORES for any other. `factmill.pipelines.train_revelator`
trains them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from factmill.models.answering.relevance.relevance_features import relevance_features
from factmill.models.answering.relevance.retrieved_document import RetrievedDocument
from factmill.models.arrays import Floats

_WITH, _WITHOUT = "with_scores.", "without_scores."


@dataclass(frozen=True, slots=True)
class RelevanceNetwork:
    """`hidden` has shape (FEATURES, units), `out` shape (units,)."""

    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: Floats

    def chances(self, features: Floats) -> Floats:
        """The probability that the document in each row of FEATURES helps."""
        units = np.tanh(features @ self.hidden + self.hidden_bias)
        scores = np.clip(units @ self.out + self.out_bias, -30, 30)
        found: Floats = (1 / (1 + np.exp(-scores))).astype(np.float32)
        return found


@dataclass(frozen=True, slots=True)
class RelevanceWeights:
    """SCORES have no influence in `without_scores`. `encoder` is the fingerprint of the encoder
    that `with_scores` was trained for.
    """

    with_scores: RelevanceNetwork
    without_scores: RelevanceNetwork
    encoder: str

    @classmethod
    def of(cls, tensors: Mapping[str, npt.NDArray[Any]]) -> RelevanceWeights:
        names = [field.name for field in fields(RelevanceNetwork)]
        with_scores, without_scores = (
            RelevanceNetwork(*(tensors[prefix + name] for name in names))
            for prefix in (_WITH, _WITHOUT)
        )
        return cls(with_scores, without_scores, tensors["encoder"].tobytes().decode("ascii"))

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        """The input of `of`."""
        networks = ((_WITH, self.with_scores), (_WITHOUT, self.without_scores))
        return {
            "encoder": np.frombuffer(self.encoder.encode("ascii"), np.uint8),
            **{
                prefix + field.name: np.ascontiguousarray(getattr(network, field.name))
                for prefix, network in networks
                for field in fields(network)
            },
        }


class LearnedRelevance:
    """A scorer with trained weights. Thread-safe."""

    def __init__(self, weights: RelevanceWeights, encoder: str) -> None:
        """`encoder` is the fingerprint of the encoder of the search."""
        same = encoder == weights.encoder
        self._network = weights.with_scores if same else weights.without_scores

    def relevance(self, question: str, documents: Sequence[RetrievedDocument]) -> Floats:
        """Probabilities, shape (documents,). All documents are from one search."""
        return self._network.chances(relevance_features(question, documents))

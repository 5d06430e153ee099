"""How likely each retrieved document helps to answer a question (HANRAG's relevance judge).

What does not help is noise, and is not shown to who answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Protocol

from safetensors.numpy import load

from factmill.models.answering.relevance.learned_relevance import (
    LearnedRelevance,
    RelevanceWeights,
)
from factmill.models.answering.relevance.retrieved_document import RetrievedDocument
from factmill.models.encoding.batching import Floats

__all__ = ["RelevanceScorer", "RetrievedDocument", "default_relevance"]

WEIGHTS = "relevance_weights.safetensors"


class RelevanceScorer(Protocol):
    """Says which documents help."""

    def relevance(self, question: str, documents: Sequence[RetrievedDocument]) -> Floats:
        """Probabilities, shape (documents,). The documents are those of one search."""


def default_relevance(encoder: str = "") -> LearnedRelevance:
    """The scorer that comes with the package, for an index with the encoder of this fingerprint; it
    looks at the scores themselves only with the default encoder's."""
    return LearnedRelevance(_default_weights(), encoder)


@cache
def _default_weights() -> RelevanceWeights:
    folder = files("factmill.models.answering.relevance")
    return RelevanceWeights.of(load(folder.joinpath(WEIGHTS).read_bytes()))

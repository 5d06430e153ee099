"""How likely each retrieved document helps to answer a question (HANRAG's relevance judge).

Documents that do not help are noise, and are not used for the answer.
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
from factmill.models.arrays import Floats

__all__ = ["RelevanceScorer", "RetrievedDocument", "default_relevance"]

RELEVANCE_WEIGHTS = "relevance_weights.safetensors"


class RelevanceScorer(Protocol):
    """Predicts which documents help."""

    def relevance(self, question: str, documents: Sequence[RetrievedDocument]) -> Floats:
        """Probabilities, shape (documents,). All documents are from one search."""


def default_relevance(encoder: str = "") -> LearnedRelevance:
    """The packaged scorer, for an index whose encoder has this fingerprint; it uses scores only
    with the default encoder.
    """
    return LearnedRelevance(_default_weights(), encoder)


@cache
def _default_weights() -> RelevanceWeights:
    folder = files("factmill.models.answering.relevance")
    return RelevanceWeights.of(load(folder.joinpath(RELEVANCE_WEIGHTS).read_bytes()))

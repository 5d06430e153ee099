"""How likely each retrieved document helps to answer a question (HANRAG's relevance judge).

What does not help is noise, and is not shown to who answers. A document is a page that was found,
with its best segment and that segment's best unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from factmill.models.encoding.batching import Floats


@dataclass(frozen=True, slots=True)
class RetrievedDocument:
    """What is judged of a page found. `score` is the search's score of the page, `rank` counts from
    1; `unit` is the text of the best unit, "" for none, and `unit_score` its score."""

    title: str
    text: str
    score: float
    rank: int
    unit: str = ""
    unit_score: float = 0.0


class RelevanceScorer(Protocol):
    """Says which documents help."""

    def relevance(self, question: str, documents: Sequence[RetrievedDocument]) -> Floats:
        """Probabilities, shape (documents,). The documents are those of one search."""


class ScoreRelevance:
    """Goes by the search's score alone: a logistic curve that was fitted to it."""

    def relevance(self, question: str, documents: Sequence[RetrievedDocument]) -> Floats:  # noqa: ARG002
        scores = np.array([document.score for document in documents], np.float32)
        probabilities: Floats = 1 / (1 + np.exp(-(_SLOPE * scores + _OFFSET)))
        return probabilities


_SLOPE, _OFFSET = 8.0, -6.0


def default_relevance(encoder: str = "") -> RelevanceScorer:  # noqa: ARG001
    """For an index with the encoder of this fingerprint."""
    return ScoreRelevance()

"""Trains the router on routed questions of several sources, so that it learns ways and not sources.

Within a way, a source counts by the root of its size, and all ways count the same: a data set of a
thousand questions does not drown fifty that people wrote. Every third question is learned from as
it is typed in a hurry (no capitals, no question mark), because some data sets are typed so
throughout, and a way must not be told by that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from factmill.models.answering.routing.learned_router import (
    RouterWeights,
    question_features,
    scaled_vectors,
)
from factmill.models.answering.routing.question_shape import shape_grams, shape_words
from factmill.models.answering.routing.route import Route
from factmill.models.answering.softmax_training import Labels, probabilities, train_softmax
from factmill.models.encoding.batching import Floats

_STRENGTH = 1e-3
_LEAST_COUNT = 20
_TYPED_ONE_IN = 3


@dataclass(frozen=True, slots=True)
class RoutedQuestions:
    """Questions with their ways, the sources they are from, and their unit vectors."""

    questions: Sequence[str]
    routes: Labels
    sources: Sequence[str]
    vectors: Floats

    def where(self, rows: Labels) -> RoutedQuestions:
        """Those of some rows."""
        return RoutedQuestions(
            [self.questions[row] for row in rows],
            self.routes[rows],
            [self.sources[row] for row in rows],
            self.vectors[rows],
        )


def typed(question: str) -> str:
    """As somebody types it in a hurry."""
    return question.lower().rstrip("?. ")


def train_router(examples: RoutedQuestions, encoder: str) -> RouterWeights:
    """Both sets of weights; the same for equal arguments."""
    questions = [_as_learned(question) for question in examples.questions]
    grams = common_grams(questions)
    columns = {gram: column for column, gram in enumerate(grams)}
    features = question_features(questions, columns)
    shares = balanced_shares(examples.routes, examples.sources)
    both = np.hstack([features, scaled_vectors(examples.vectors)])
    return RouterWeights(
        grams,
        train_softmax(features, examples.routes, len(Route), _STRENGTH, shares),
        train_softmax(both, examples.routes, len(Route), _STRENGTH, shares),
        encoder,
    )


def _as_learned(question: str) -> str:
    return typed(question) if crc32(question.encode("utf-8")) % _TYPED_ONE_IN == 0 else question


def common_grams(questions: Sequence[str]) -> tuple[str, ...]:
    """Those that enough questions have, in order of the alphabet."""
    counts = Counter(gram for question in questions for gram in shape_grams(shape_words(question)))
    return tuple(sorted(gram for gram, count in counts.items() if count >= _LEAST_COUNT))


def balanced_shares(routes: Labels, sources: Sequence[str]) -> Floats:
    """What each question counts, shape (questions,)."""
    keys = list(zip(routes.tolist(), sources, strict=True))
    sizes = Counter(keys)
    shares = np.array([sizes[key] ** -0.5 for key in keys], np.float32)
    of_route = np.array([shares[routes == route].sum() for route in range(len(Route))])
    balanced: Floats = (shares / of_route[routes]).astype(np.float32)
    return balanced


def routed(weights: RouterWeights, examples: RoutedQuestions, with_vector: bool = True) -> Floats:
    """The probabilities of questions, shape (questions, ways)."""
    columns = {gram: column for column, gram in enumerate(weights.grams)}
    features = question_features(examples.questions, columns)
    if not with_vector:
        return probabilities(features, weights.without_vector)
    both = np.hstack([features, scaled_vectors(examples.vectors)])
    return probabilities(both, weights.with_vector)

"""Trains the router on routed questions of several sources, so that it learns routes, not sources.

Within a route, a source counts by the square root of its size, and all routes count the same: a
data set of a thousand questions does not outweigh fifty handwritten ones. Every third question is
used as typed in a hurry (no capitals, no question mark), because some data sets are written that
way throughout, and it must not indicate a route.
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
from factmill.models.answering.softmax_training import probabilities, train_softmax
from factmill.models.arrays import Floats, Integers

_STRENGTH = 1e-3
_MIN_COUNT = 20
_TYPED_ONE_IN = 3


@dataclass(frozen=True, slots=True)
class RoutedQuestions:
    """Questions with their routes, their sources, and their unit vectors."""

    questions: Sequence[str]
    routes: Integers
    sources: Sequence[str]
    vectors: Floats

    def where(self, rows: Integers) -> RoutedQuestions:
        """The questions in these rows."""
        return RoutedQuestions(
            [self.questions[row] for row in rows],
            self.routes[rows],
            [self.sources[row] for row in rows],
            self.vectors[rows],
        )


def typed(question: str) -> str:
    """The question as typed in a hurry."""
    return question.lower().rstrip("?. ")


def train_router(examples: RoutedQuestions, encoder: str) -> RouterWeights:
    """Both sets of weights; deterministic."""
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
    """The grams that enough questions have, in alphabetical order."""
    counts = Counter(gram for question in questions for gram in shape_grams(shape_words(question)))
    return tuple(sorted(gram for gram, count in counts.items() if count >= _MIN_COUNT))


def balanced_shares(routes: Integers, sources: Sequence[str]) -> Floats:
    """The weight of each question, shape (questions,)."""
    keys = list(zip(routes.tolist(), sources, strict=True))
    sizes = Counter(keys)
    shares = np.array([sizes[key] ** -0.5 for key in keys], np.float32)
    of_route = np.array([shares[routes == route].sum() for route in range(len(Route))])
    balanced: Floats = (shares / of_route[routes]).astype(np.float32)
    return balanced


def routed(weights: RouterWeights, examples: RoutedQuestions, with_vector: bool = True) -> Floats:
    """The probabilities for questions, shape (questions, routes)."""
    columns = {gram: column for column, gram in enumerate(weights.grams)}
    features = question_features(examples.questions, columns)
    if not with_vector:
        return probabilities(features, weights.without_vector)
    both = np.hstack([features, scaled_vectors(examples.vectors)])
    return probabilities(both, weights.with_vector)

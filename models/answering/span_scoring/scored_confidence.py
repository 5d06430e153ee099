"""How likely an answer that was scored is right: a logistic regression over a few numbers.

    probability of the span and of those that overlap it, what the scorer says -> probability

The weights of spans (`scored_weights.py`) choose the answer. They say too little where a question
has other words than the page, and where an answer is shared among spans that overlap; this says how
much to trust the choice. `tests/benchmarks/fit_span_weights.py` fits it to questions whose spans
were weighed by weights of the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from factmill.models.answering.span_scoring.chances import chance_of
from factmill.models.answering.span_scoring.confidence_weights import WEIGHTS
from factmill.models.answering.span_scoring.scorer_features import SCORER_FEATURES

_OF_SPAN = (
    "scored_share", "scored_best", "scored_beside_best", "scored_answers", "scored_anything",
    "scored",
)  # fmt: skip
FEATURES = ("bias", "said", "overlapping", "odds", "sure", *_OF_SPAN)
_WEIGHTS = tuple(WEIGHTS.get(name, 0.0) for name in FEATURES)
_COLUMNS = tuple(SCORER_FEATURES.index(name) - len(SCORER_FEATURES) for name in _OF_SPAN)
ODDS = SCORER_FEATURES.index("scored_odds") - len(SCORER_FEATURES)
_MIN_PROBABILITY = 1e-4


def confidence_features(
    said: float, overlapping: float, odds: float, sure: float, numbers: Sequence[float]
) -> list[float]:
    """The numbers of FEATURES: the probability that the spans' weights give an answer, and all
    spans that overlap it; the best `scored_odds` among these; what `sureness` leaves of it; and the
    features of the span, which end with SCORER_FEATURES."""
    return [
        1.0, _log_odds(said) / 5, _log_odds(overlapping) / 5, odds, sure,
        *(float(numbers[column]) for column in _COLUMNS),
    ]  # fmt: skip


def scored_confidence(features: Sequence[float]) -> float:
    """The probability that the answer is right."""
    return chance_of(_WEIGHTS, features)


def _log_odds(probability: float) -> float:
    bounded = max(_MIN_PROBABILITY, min(1.0 - _MIN_PROBABILITY, probability))
    return math.log(bounded / (1.0 - bounded))

"""How likely an answer from what was read is right: a logistic regression over a few numbers.

    probability of the span and of those that overlap it, what the reader says -> probability

The weights of spans (`read_weights.py`) choose the answer. They say too little where a question has
other words than the page, and where an answer is shared among spans that overlap; this says how
much to trust the choice. `tests/benchmarks/fit_span_weights.py` fits it to questions whose spans
were weighed by weights of the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from factmill.models.answering.reading.chances import chance_of
from factmill.models.answering.reading.confidence_weights import WEIGHTS
from factmill.models.answering.reading.read_features import READ_FEATURES

_OF_SPAN = (
    "read_share", "read_best", "read_beside_best", "read_answers", "read_anything", "read",
)  # fmt: skip
FEATURES = ("bias", "said", "overlapping", "odds", "sure", *_OF_SPAN)
_WEIGHTS = tuple(WEIGHTS.get(name, 0.0) for name in FEATURES)
_COLUMNS = tuple(READ_FEATURES.index(name) - len(READ_FEATURES) for name in _OF_SPAN)
ODDS = READ_FEATURES.index("read_odds") - len(READ_FEATURES)
_MIN_PROBABILITY = 1e-4


def confidence_features(
    said: float, overlapping: float, odds: float, sure: float, numbers: Sequence[float]
) -> list[float]:
    """The numbers of FEATURES: the probability that the spans' weights give an answer, and all
    spans that overlap it; the best `read_odds` among these; what `sureness` leaves of it; and the
    features of the span, which end with READ_FEATURES."""
    return [
        1.0, _log_odds(said) / 5, _log_odds(overlapping) / 5, odds, sure,
        *(float(numbers[column]) for column in _COLUMNS),
    ]  # fmt: skip


def read_confidence(features: Sequence[float]) -> float:
    """The probability that the answer is right."""
    return chance_of(_WEIGHTS, features)


def _log_odds(probability: float) -> float:
    bounded = max(_MIN_PROBABILITY, min(1.0 - _MIN_PROBABILITY, probability))
    return math.log(bounded / (1.0 - bounded))

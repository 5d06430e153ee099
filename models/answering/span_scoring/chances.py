"""The probability that a logistic regression of a few numbers gives."""

from __future__ import annotations

import math
from collections.abc import Sequence

# A bound on log-odds.
_MAX_LOG_ODDS = 30.0


def chance_of(weights: Sequence[float], numbers: Sequence[float]) -> float:
    """From the log-odds that numbers of these weights have together."""
    total = sum(weight * number for weight, number in zip(weights, numbers, strict=True))
    return 1.0 / (1.0 + math.exp(-max(-_MAX_LOG_ODDS, min(_MAX_LOG_ODDS, total))))

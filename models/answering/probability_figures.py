"""The quality of probabilities: average precision, expected calibration error, precision and
recall. All arrays have one number for each item.
"""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Flags, Floats, Integers

_BINS = 10


def average_precision(scores: Floats, right: Flags) -> float:
    """The mean, over right items, of the share of right items among those with at least the same
    score.
    """
    order = np.argsort(-scores, kind="stable")
    found = right[order].cumsum()
    # Items with equal scores count together.
    last = np.append(np.diff(scores[order]) != 0, True)
    counts, seen = found[last], np.arange(1, len(order) + 1)[last]
    new = np.diff(counts, prepend=0)
    return float((new * counts / seen).sum() / max(int(counts[-1]), 1))


def calibration_error(chances: Floats, right: Flags) -> float:
    """Expected calibration error: the gap between the mean probability and the share of right
    items, over bins of equal width, weighted by their size.
    """
    bin_of = np.minimum((chances * _BINS).astype(np.int64), _BINS - 1)
    sums = np.bincount(bin_of, chances.astype(np.float64), _BINS)
    rights = np.bincount(bin_of, right.astype(np.float64), _BINS)
    return float(np.abs(sums - rights).sum() / max(len(chances), 1))


def precision_and_recall(labels: Integers, predicted: Integers, one: int) -> tuple[float, float]:
    """Precision and recall of one class; 0 when nothing has it or is predicted to."""
    both = int(((labels == one) & (predicted == one)).sum())
    return (
        both / max(int((predicted == one).sum()), 1),
        both / max(int((labels == one).sum()), 1),
    )

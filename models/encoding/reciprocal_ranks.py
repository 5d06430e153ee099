"""Reciprocal ranks, by which encoders and heads are compared on held-out queries."""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Doubles, Floats, Integers


def reciprocal_ranks(scores: Floats, own: Integers) -> Doubles:
    """For each row of `scores` (m, n), 1 / rank of the one in column `own` (m,) of the row, shape
    (m,). Ties and NaNs count against it.
    """
    own_scores = np.take_along_axis(scores, own[:, None], axis=1)
    ranks: Doubles = 1.0 / np.sum(~(scores < own_scores), axis=1)
    return ranks


def sum_of_reciprocal_ranks(scores: Floats, own: Integers) -> float:
    """The sum of `reciprocal_ranks`."""
    return float(np.sum(reciprocal_ranks(scores, own)))

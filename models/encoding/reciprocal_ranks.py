"""Reciprocal ranks, by which encoders and heads are compared on held-out queries."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from factmill.models.arrays import Doubles, Floats


def reciprocal_ranks(scores: Floats, own: npt.NDArray[np.int64]) -> Doubles:
    """For each row of `scores`, 1 / rank of the one in column `own` of the row. Ties and NaNs count
    against it.
    """
    own_scores = np.take_along_axis(scores, own[:, None], axis=1)
    ranks: Doubles = 1.0 / np.sum(~(scores < own_scores), axis=1)
    return ranks


def sum_of_reciprocal_ranks(scores: Floats, own: npt.NDArray[np.int64]) -> float:
    """The sum of `reciprocal_ranks`."""
    return float(np.sum(reciprocal_ranks(scores, own)))

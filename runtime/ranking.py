"""Scores of segments from scores of their rows: HASH-RAG's equation 10 with normalised weights.

    X = alpha * X_doc + (1 - alpha) * sum_k w_k x_k,    w = softmax(x / temperature)

X_doc is the score of the segment's own code, x_k are those of its units. The paper leaves the
weights open although segments have different numbers of units; a softmax sums to one for each, and
as the temperature goes to 0 only the best unit counts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from models.hash_head import Floats

ALPHA = 0.5
TEMPERATURE = 0.02


def segment_scores(
    scores: Floats,
    lengths: npt.NDArray[np.int64],
    alpha: float = ALPHA,
    temperature: float = TEMPERATURE,
) -> Floats:
    """Scores of segments, shape (segments,), from the scores of their rows.

    Rows of one segment are adjacent, its own first; `lengths` (at least 1 each) says how many rows
    each segment has. A segment without units has its own score.
    """
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    own = scores[starts]
    is_unit = np.ones(len(scores), dtype=bool)
    is_unit[starts] = False
    segment_of = np.repeat(np.arange(len(lengths)), lengths)[is_unit]
    units = scores[is_unit]
    best = np.full(len(lengths), -np.inf, dtype=np.float64)
    np.maximum.at(best, segment_of, units)
    weights = np.exp((units - best[segment_of]) / temperature)
    total = np.bincount(segment_of, weights=weights, minlength=len(lengths))
    weighted = np.bincount(segment_of, weights=weights * units, minlength=len(lengths))
    has_units = total > 0
    combined = own.astype(np.float64)
    combined[has_units] = (
        alpha * combined[has_units] + (1 - alpha) * weighted[has_units] / total[has_units]
    )  # fmt: skip
    result: Floats = combined.astype(np.float32)
    return result

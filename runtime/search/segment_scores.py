"""Scores of segments from scores of their rows: HASH-RAG's equation 10 with normalised weights.

    X = alpha * X_doc + (1 - alpha) * sum_k w_k x_k,    w = softmax(x / temperature)

A document is a segment with the one before and the one after it on its page: three sentences are
little to go by, and a page may be long. X_doc is the mean of the scores of their own rows, x_k are
the scores of all rows, their own and those of their units. The paper leaves the weights open
although documents have different numbers of units; a softmax sums to one for each, and as the
temperature goes to 0 only the best row counts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from factmill.models.encoding.encoder import Floats

_Integers = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]

# Measured in docs/log.md, on short pages and on long ones.
ALPHA = 0.3
TEMPERATURE = 0.06


def segment_scores(
    scores: Floats,
    lengths: _Integers,
    follows: npt.NDArray[np.bool_],
    alpha: float = ALPHA,
    temperature: float = TEMPERATURE,
) -> tuple[Scores, Scores]:
    """Scores of segments, shape (segments,), at least one, from the scores of their rows; and the
    best of these.

    Rows of one segment are adjacent, its own first; `lengths` (at least 1 each) says how many rows
    each segment has, `follows` which segments come directly after the one before them in the array.
    """
    rows = scores.astype(np.float64)
    starts = lengths.cumsum() - lengths
    best = np.maximum.reduceat(rows, starts)
    # Weights are relative to the best row of their segment, then to that of the document, so that
    # none is too large and those of the best row are never all 0.
    weights = np.exp((rows - best.repeat(lengths)) / temperature)
    sums = np.add.reduceat(weights, starts)
    weighted_sums = np.add.reduceat(weights * rows, starts)

    own, counted = rows[starts], np.ones(len(starts))
    around = _documents(np.array((best, sums, weighted_sums, own, counted)), follows)
    # 0 for a neighbour that is not there.
    factors = np.exp((around[:, 0] - around[:, 0].max(axis=0)) / temperature)
    weight, weighted = (factors[:, None] * around[:, 1:3]).sum(axis=0)
    own, counted = around[:, 3:].sum(axis=0)
    return alpha * own / counted + (1 - alpha) * weighted / weight, best


# What each column of `_documents` has instead of a neighbour that is not there.
_ABSENT = np.array([-np.inf, 0, 0, 0, 0])[:, None]


def _documents(columns: Scores, follows: npt.NDArray[np.bool_]) -> Scores:
    """Columns of the segments of each document, shape (3, columns, segments): of the one before, of
    the segment, of the one after; `_ABSENT` instead of one that its text does not go on with."""
    around = np.empty((3, *columns.shape))
    around[0, :, :1] = around[2, :, -1:] = _ABSENT
    around[0, :, 1:] = np.where(follows[1:], columns[:, :-1], _ABSENT)
    around[1] = columns
    around[2, :, :-1] = np.where(follows[1:], columns[:, 1:], _ABSENT)
    return around

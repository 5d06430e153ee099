"""Scores of segments from scores of their rows: HASH-RAG's equation 10 with normalised weights.

    X = alpha * X_doc + (1 - alpha) * sum_k w_k x_k,    w = softmax(x / temperature)

A document is a segment with the ones before and after it on its page: three sentences are little
evidence, and a page may be long. X_doc is the mean score of the three segments' own rows, x_k are
the scores of all their rows, including those of their units. The paper leaves the weights open
although documents have different numbers of units; a softmax sums to one for each, and as the
temperature goes to 0 only the best row counts.
"""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Doubles, Flags, Floats, Integers

# Measured in docs/log.md, on short pages and on long ones.
ALPHA = 0.3
TEMPERATURE = 0.08


def segment_scores(
    scores: Floats,
    lengths: Integers,
    follows: Flags,
    alpha: float = ALPHA,
    temperature: float = TEMPERATURE,
) -> tuple[Doubles, Doubles]:
    """Scores of segments, shape (segments,), at least one, from the scores of their rows; and the
    best row score of each.

    Rows of one segment are adjacent, its own first; `lengths` (at least 1 each) is the number of
    rows of each segment, `follows` says which segments directly follow the previous one in the
    array.
    """
    rows = scores.astype(np.float64)
    starts = lengths.cumsum() - lengths
    best = np.maximum.reduceat(rows, starts)
    # Weights are relative to the best row of their segment, then to that of the document, so that
    # none overflows and the best row's weight is never 0.
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


# The values in `_documents` for a missing neighbour.
_ABSENT = np.array([-np.inf, 0, 0, 0, 0])[:, None]


def _documents(columns: Doubles, follows: Flags) -> Doubles:
    """Columns of the segments of each document, shape (3, columns, segments): of the previous
    segment, the segment itself, and the next; `_ABSENT` for a missing neighbour.
    """
    around = np.empty((3, *columns.shape))
    around[0, :, :1] = around[2, :, -1:] = _ABSENT
    around[0, :, 1:] = np.where(follows[1:], columns[:, :-1], _ABSENT)
    around[1] = columns
    around[2, :, :-1] = np.where(follows[1:], columns[:, 1:], _ABSENT)
    return around

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

    of_document = _documents(best, follows, -np.inf)
    # 0 for a neighbour that is not there.
    factors = np.exp((of_document - of_document.max(axis=0)) / temperature)
    weight = (factors * _documents(sums, follows, 0)).sum(axis=0)
    weighted = (factors * _documents(weighted_sums, follows, 0)).sum(axis=0)
    counted = _documents(np.ones(len(best)), follows, 0).sum(axis=0)
    document = _documents(rows[starts], follows, 0).sum(axis=0) / counted
    return alpha * document + (1 - alpha) * weighted / weight, best


def _documents(values: Scores, follows: npt.NDArray[np.bool_], absent: float) -> Scores:
    """Values of the segments of each document, shape (3, segments): of the one before, of the
    segment, of the one after; `absent` in place of one that its text does not go on with."""
    around = np.full((3, len(values)), absent, np.float64)
    np.copyto(around[0, 1:], values[:-1], where=follows[1:])
    around[1] = values
    np.copyto(around[2, :-1], values[1:], where=follows[1:])
    return around

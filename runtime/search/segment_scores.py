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
    starts = np.cumsum(lengths) - lengths
    best = np.maximum.reduceat(rows, starts)
    # Weights are relative to the best row of their segment, then to that of the document, so that
    # none is too large and those of the best row are never all 0.
    weights = np.exp((rows - np.repeat(best, lengths)) / temperature)
    sums = np.stack([np.add.reduceat(weights, starts), np.add.reduceat(weights * rows, starts)])

    around = _documents(follows)
    of_document = best[around]
    factors = np.exp((of_document - of_document.max(axis=0)) / temperature)
    # A document of fewer segments has one of them more than once, and counts it once.
    counted = _first_mentions(around)
    weight, weighted = (factors * counted * sums[:, around]).sum(axis=1)
    document = (counted * rows[starts][around]).sum(axis=0) / counted.sum(axis=0)
    return alpha * document + (1 - alpha) * weighted / weight, best


def _documents(follows: npt.NDArray[np.bool_]) -> _Integers:
    """The segments of each document, shape (3, segments): the one before, the segment, the one
    after; the segment itself in place of one that its text does not go on with."""
    numbers = np.arange(len(follows))
    return np.stack([numbers - follows, numbers, numbers + np.append(follows[1:], False)])


def _first_mentions(around: _Integers) -> npt.NDArray[np.bool_]:
    """Which of `_documents` are not the segment itself again."""
    counted: npt.NDArray[np.bool_] = around != around[1]
    counted[1] = True
    return counted

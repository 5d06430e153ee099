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

from factmill.models.codes.hash_head import Floats

_Integers = npt.NDArray[np.int64]

# Measured in docs/log.md, on short pages and on long ones.
ALPHA = 0.3
TEMPERATURE = 0.06


def segment_scores(
    scores: Floats,
    lengths: _Integers,
    follows: npt.NDArray[np.bool_],
    alpha: float = ALPHA,
    temperature: float = TEMPERATURE,
) -> Floats:
    """Scores of segments, shape (segments,), at least one, from the scores of their rows.

    Rows of one segment are adjacent, its own first; `lengths` (at least 1 each) says how many rows
    each segment has, `follows` which segments come directly after the one before them in the array.
    """
    stops = np.cumsum(lengths)
    starts = stops - lengths
    number = np.arange(len(lengths))
    first = number - follows
    last = number + np.append(follows[1:], False)

    own = np.concatenate([[0.0], np.cumsum(scores[starts], dtype=np.float64)])
    document = (own[last + 1] - own[first]) / (last + 1 - first)

    sizes = stops[last] - starts[first]
    rows = scores[ranges(starts[first], sizes)].astype(np.float64)
    bounds = np.cumsum(sizes) - sizes
    best = np.repeat(np.maximum.reduceat(rows, bounds), sizes)
    weights = np.exp((rows - best) / temperature)
    weighted = np.add.reduceat(weights * rows, bounds) / np.add.reduceat(weights, bounds)
    result: Floats = (alpha * document + (1 - alpha) * weighted).astype(np.float32)
    return result


def ranges(first: _Integers, lengths: _Integers) -> _Integers:
    """The integers of ranges, one range after the other."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(first - before, lengths) + np.arange(lengths.sum())

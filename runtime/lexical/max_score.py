"""The best segments of a query without scoring all of them (MaxScore, Turtle and Flood 1995).

Words are read from the rarest on, and the best segments so far set a threshold. Words that together
cannot lift a segment above it add no candidates: those are the frequent ones with long postings.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from factmill.models.arrays import Floats, Integers
from factmill.runtime.search.sharded import best_positions, distinct

# Rounding: sums of the same numbers in another order differ by less than this share, per word.
_ROUNDING = 2.0**-23


def best_segments(
    scores: Floats, of_words: Sequence[Integers], most: Floats, count: int
) -> Integers:
    """The `count` segments with the best scores above 0, ascending; ties go to the first ones.

    `scores` are those of all segments, `of_words` the ascending segments of each word, rarest word
    first, and `most` the maximal contribution of each word.
    """
    # The maximal contribution of each word and all later ones together.
    together = most[::-1].cumsum(dtype=np.float64)[::-1].tolist()
    rounding = 1 - len(of_words) * _ROUNDING
    found, least = np.empty(0, np.int64), 0.0
    for segments, may_give in zip(of_words, together, strict=True):
        if may_give < least * rounding:
            break
        of_word = scores.take(segments)
        likely = segments[of_word >= least if least else of_word > 0]
        found = distinct(np.concatenate([found, likely]))
        if len(found) >= count:
            of_found = scores.take(found)
            best = best_positions(of_found, count)
            found, least = found[best], float(of_found[best].min())
    return found

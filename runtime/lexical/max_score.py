"""The best segments of a query, without a look at all of them (MaxScore, Turtle and Flood 1995).

One word's segments alone show how well the best must score. Words that could not bring a segment
there, all of them together, bring no candidate: those are the frequent ones with long postings.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from factmill.models.lexical.bm25 import Floats
from factmill.runtime.search.segment_scores import Scores
from factmill.runtime.search.sharded import Numbers, best_positions, distinct

# Sums of the same numbers in another order differ by less.
_ROUNDING = 1e-9


def best_segments(scores: Scores, of_words: Sequence[Numbers], most: Floats, count: int) -> Numbers:
    """The `count` segments with the best scores above 0, ascending; of equal ones the first.

    `scores` are those of all segments, `of_words` the segments that have each word, ascending, the
    rarest word first, and `most` says how much of a score each word may be.
    """
    least = _reached(scores, of_words, count)
    # What each word and all those after it may give together.
    together = most[::-1].cumsum(dtype=np.float64)[::-1]
    needed = int(np.count_nonzero(together >= least * (1 - _ROUNDING)))
    found = np.concatenate([np.empty(0, np.int64), *of_words[:needed]])
    of_found = scores.take(found)
    found = distinct(found[(of_found >= least) & (of_found > 0)])
    return found[best_positions(scores.take(found), count)]


def _reached(scores: Scores, of_words: Sequence[Numbers], count: int) -> float:
    """A score that `count` segments reach: those of the rarest word that has so many; 0 if none
    has."""
    for segments in of_words:
        if len(segments) >= count:
            of_word = scores.take(segments)
            return float(np.partition(of_word, len(of_word) - count)[len(of_word) - count])
    return 0.0

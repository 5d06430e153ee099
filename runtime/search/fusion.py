"""One score of a page from that of its codes and that of its words.

    fused = dense + WEIGHT * lexical * min(1, LONG / most)

`dense` is about a cosine (`ranking`). `lexical` is the BM25 score of the page's best
segment, and `most` the sum of the idf of the words asked for, which no segment exceeds. BM25 is in
nats, a log-odds that the query's words came from this text, so it is added as it is: one rare word
found means as much in a long question as in a short one, words that stand everywhere mean little in
any corpus, and a query without a word of the corpus keeps the dense ranking. Only for a query so
long that its words could outweigh any cosine is the sum held down.

Rank fusion does not see how near two scores are: it finds as much within 20 pages, and on the first
page five points less than codes alone (docs/log.md).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from factmill.models.lexical.bm25 import Floats

Scores = npt.NDArray[np.float64]

# Chosen on both halves of the train questions, for float vectors and for codes: docs/log.md.
WEIGHT = 0.014
# Nats. Nearly every question asks for less.
LONG = 100.0


def fused(dense: Scores, lexical: Floats, most: float) -> Scores:
    """Scores of pages, shape (pages,). `lexical` is 0 for a page that shares no word."""
    weight = WEIGHT * min(1.0, LONG / most) if most > 0 else 0.0
    result: Scores = dense + weight * lexical
    return result

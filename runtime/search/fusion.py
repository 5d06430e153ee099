"""Combines a page's score by codes and its score by words.

    fused = dense + WEIGHT * lexical * min(1, LONG / most)

`dense` is about a cosine (`page_ranking`). `lexical` is the BM25 score of the page's best segment,
and `most` the sum of the idf of the query's words, its upper bound. BM25 is in nats, log-odds that
the query's words came from this text, so it is added unscaled: a rare word means as much in a long
question as in a short one, words that occur everywhere mean little in any corpus, and a query
without a word of the corpus keeps the dense ranking. Only for a query so long that its words could
outweigh any cosine is the sum scaled down.

Rank fusion ignores how close two scores are: it finds as much within 20 pages, but five points less
on the first page than codes alone (docs/log.md).
"""

from __future__ import annotations

from factmill.models.arrays import Doubles, Floats

# Chosen on both halves of the train questions, for float vectors and for codes: docs/log.md.
WEIGHT = 0.014
# Nats. Nearly every question asks for less.
LONG = 100.0


def fused(dense: Doubles, lexical: Floats, most: float) -> Doubles:
    """Scores of pages, shape (pages,). `lexical` is 0 for a page without a shared word."""
    weight = WEIGHT * min(1.0, LONG / most) if most > 0 else 0.0
    result: Doubles = dense + weight * lexical
    return result

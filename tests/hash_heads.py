"""Hash heads and scores of codes for tests: the formulas, without search and without FAISS."""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Codes, Floats
from factmill.models.codes.hash_head import HashHead, Projection


def symmetric_head(weight: Floats, bias: Floats, encoder: str, trained_on: int) -> HashHead:
    """A head that projects units and queries alike."""
    projection = Projection(weight, bias)
    return HashHead(projection, projection, encoder, trained_on)


def asymmetric_scores(query: Floats, codes: Codes) -> Floats:
    """`<v, h>` of a projected query, shape (bits,), with the +-1 vector of each packed code."""
    bits = np.unpackbits(codes, axis=1).astype(np.float32)
    # h = 2 bit - 1, so <v, h> = 2 <v, bit> - sum(v)
    scores: Floats = 2.0 * (bits @ query) - query.sum(dtype=np.float32)
    return scores

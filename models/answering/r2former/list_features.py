"""Features of the documents of a ranked list that any retriever can compute.

For a query q and the documents d_1 .. d_k, best first (R2AG, section 3.2 and appendix A):

    relevance   r_i = sim(q, d_i)
    precedent   g_i = sim(d_i, sum over j < i of w_j d_j),    w = softmax(r) over all k
    neighbour   z_i = (sim(d_i-1, d_i) + sim(d_i, d_i+1)) / 2

sim is the cosine. The paper leaves three cases open: nothing precedes the first document, so g_1 =
0; the first and the last have one neighbour each; a single document has none, so z = 0. A zero
vector is similar to nothing.
"""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Floats

LIST_FEATURES = ("relevance", "precedent", "neighbour")
# The maximum number of documents.
MAX_DOCUMENTS = 100


def list_features(query: Floats, documents: Floats) -> Floats:
    """The LIST_FEATURES of documents, shape (k, 3). `query` has shape (dimension,), `documents`
    (k, dimension), best first. Raises ValueError for more than MAX_DOCUMENTS."""
    count = len(documents)
    if count > MAX_DOCUMENTS:
        raise ValueError(f"{count} documents, at most {MAX_DOCUMENTS} make a list")
    units = _unit(documents)
    found = np.zeros((count, len(LIST_FEATURES)), np.float32)
    found[:, 0] = np.vecdot(units, _unit(query[None]))
    if count < 2:
        return found
    weights = np.exp(found[:, 0] - found[:, 0].max(initial=0))
    weights /= weights.sum()
    # A cosine ignores the length of the sum, so the weights need not be normalised.
    before = np.cumsum(weights[:-1, None] * documents[:-1], axis=0)
    found[1:, 1] = np.vecdot(units[1:], _unit(before))
    adjacent = np.vecdot(units[:-1], units[1:])
    found[0, 2], found[-1, 2] = adjacent[0], adjacent[-1]
    found[1:-1, 2] = (adjacent[:-1] + adjacent[1:]) / 2
    return found


def _unit(vectors: Floats) -> Floats:
    """Vectors of length 1; zero vectors stay 0."""
    lengths = np.sqrt(np.vecdot(vectors, vectors))[:, None]
    found: Floats = np.zeros_like(vectors, np.float32)
    np.divide(vectors, lengths, out=found, where=lengths > 0)
    return found

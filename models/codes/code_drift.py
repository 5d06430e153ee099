"""Whether codes still fit the corpus: the share of what vectors find that codes find as well."""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Floats
from factmill.models.codes.hash_head import HashHead

_DEPTH = 10
_QUERIES_AT_ONCE = 256


def code_recall(head: HashHead, queries: Floats, units: Floats) -> float:
    """The mean share of each query's ten nearest units by vectors that are among its ten best by
    codes. `queries` (m, dimension), `units` (n, dimension); 1 for no queries or units.
    """
    depth = min(_DEPTH, len(units))
    if not depth or not len(queries):
        return 1.0
    codes = head.signs(units)
    projected = head.queries(queries)
    shared = 0
    for start in range(0, len(queries), _QUERIES_AT_ONCE):
        rows = slice(start, start + _QUERIES_AT_ONCE)
        exact = np.argpartition(-(queries[rows] @ units.T), depth - 1, axis=1)[:, :depth]
        found = np.argpartition(-(projected[rows] @ codes.T), depth - 1, axis=1)[:, :depth]
        shared += sum(len(np.intersect1d(a, b)) for a, b in zip(exact, found, strict=True))
    return shared / (depth * len(queries))

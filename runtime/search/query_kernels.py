"""A query's first stage as one call: kernels of other modules put together.

With every call a thread gives Python to another one and takes it back; the fewer there are, the
less do threads cost each other (docs/log.md). Importing this module loads the compiler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factmill.models.codes.compiled import kernel
from factmill.runtime.search.index_shard import Length
from factmill.runtime.search.rank_kernels import segments_of
from factmill.runtime.search.scan_kernels import best_rows, nearest_lists, scan_lists, scan_rows

_ROWS = int(Length.ROWS)


@kernel
def candidates(
    columns: Any, lengths: Any, centroids: Any, code: Any, query: Any, wanted: int, lists: int,
    kept: int,
) -> Any:  # fmt: skip
    """The segments of the `kept` rows with the best float scores, of the `wanted` nearest: of those
    in so many lists, or with 0 of all rows. DAMAGED as the first when something is not there."""
    if lists:
        nearest = nearest_lists(centroids, code, query, lists)
        found = scan_lists(columns, lengths, code, nearest, wanted)
    else:
        found = scan_rows(columns, lengths, code, 0, lengths[:, _ROWS].sum(), wanted)
    if len(found) and found[0, 0] < 0:
        return np.full(1, found[0, 0], np.int64)
    return segments_of(columns, lengths, best_rows(columns, found, query, kept))

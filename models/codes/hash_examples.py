"""Training data of the hash head: units, queries, and which unit answers which query.

Imports no PyTorch, because gathering examples does not need it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factmill.models.arrays import Floats

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Examples:
    """Training data; all vectors have unit length.

    `units` (n, dimension), distinct; `groups` (n,) the page of each. `queries` (m, dimension),
    `source` (m,) the unit that answers each, `negatives` (m, k) nearby units of other pages, -1 for
    none.
    """

    units: Floats
    groups: Rows
    queries: Floats
    source: Rows
    negatives: Rows

    def __len__(self) -> int:
        return len(self.queries)

    def take(self, rows: Rows) -> Examples:
        """The same units with these queries only."""
        return Examples(
            self.units, self.groups, self.queries[rows], self.source[rows], self.negatives[rows]
        )

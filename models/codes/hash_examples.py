"""What the hash head learns from: units, queries, and which answers which.

Loads no PyTorch, because who gathers examples need not train.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factmill.models.codes.hash_head import Floats

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Examples:
    """What is learned from; all vectors have unit length.

    `units` (n, dimension), distinct; `groups` (n,) the page of each. `queries` (m, dimension),
    `source` (m,) the unit that answers each, `negatives` (m, k) units of other pages that are near,
    -1 for none.
    """

    units: Floats
    groups: Rows
    queries: Floats
    source: Rows
    negatives: Rows

    def __len__(self) -> int:
        return len(self.queries)

    def take(self, rows: Rows) -> Examples:
        """The same units with some of the queries."""
        return Examples(
            self.units, self.groups, self.queries[rows], self.source[rows], self.negatives[rows]
        )

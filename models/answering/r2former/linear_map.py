"""A linear map for a few rows, in NumPy on one core.

OpenBLAS splits a matrix product among cores when it has more than 2^18 multiplications, and on a
busy machine the cores then wait for each other longer than they work (see `products` of
`transformer_arithmetic`). So the matrix is stored in small enough blocks. Measured in docs/log.md.
"""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Floats

_ROWS, _COLUMNS, _SMALL = 16, 32, 1 << 18


class LinearMap:
    """`rows @ weight^T + bias`; `weight` has shape (outputs, inputs)."""

    def __init__(self, weight: Floats, bias: Floats) -> None:
        outputs, inputs = weight.shape
        self._bias = bias
        columns = max(1, min(_COLUMNS, _SMALL // (_ROWS * inputs)))
        padded = np.zeros((-(-outputs // columns) * columns, inputs), np.float32)
        padded[:outputs] = weight
        blocks = padded.reshape(-1, columns, inputs).transpose(0, 2, 1)
        self._blocks = np.ascontiguousarray(blocks)

    def __call__(self, rows: Floats) -> Floats:
        """The mapped rows, shape (rows, outputs)."""
        outputs = len(self._bias)
        found = np.empty((len(rows), outputs), np.float32)
        for first in range(0, len(rows), _ROWS):
            some = np.matmul(rows[first : first + _ROWS], self._blocks)
            found[first : first + _ROWS] = some.transpose(1, 0, 2).reshape(some.shape[1], -1)[
                :, :outputs
            ]
        return found + self._bias

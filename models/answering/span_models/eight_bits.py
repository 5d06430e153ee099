"""Weights in 8 bits: half the bytes of half precision.

Each row of a matrix is divided by its scale, which is its largest magnitude divided by 127, and
rounded. Vectors, and matrices of few rows, stay in half precision.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from factmill.models.arrays import Floats

SCALE = ".scale"
_MAX_INT8 = 127
_MIN_ROWS = 16


def in_eight_bits(weights: Mapping[str, Floats]) -> dict[str, npt.NDArray[np.generic]]:
    """Matrices as whole numbers of 8 bits, with their scales, shape (rows,), beside them; all else
    in half precision. By the names of the weights and of their scales."""
    found: dict[str, npt.NDArray[np.generic]] = {}
    for name, values in weights.items():
        if values.ndim != 2 or len(values) < _MIN_ROWS:
            found[name] = np.ascontiguousarray(values, np.float16)
            continue
        scales = np.maximum(np.abs(values).max(axis=1), 1e-12) / _MAX_INT8
        found[name] = np.rint(values / scales[:, None]).astype(np.int8)
        found[name + SCALE] = scales.astype(np.float32)
    return found


def from_eight_bits(values: npt.NDArray[np.int8], scales: Floats) -> Floats:
    """The matrix in single precision. Raises ValueError for scales of another number of rows."""
    if values.ndim != 2 or scales.shape != values.shape[:1] or scales.dtype != np.float32:
        raise ValueError(f"scales of shape {scales.shape} for {values.shape}")
    return values.astype(np.float32) * scales[:, None]

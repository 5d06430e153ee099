"""Types of NumPy arrays, by the type of their values. Shapes stand in docstrings."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Halves = npt.NDArray[np.float16]
Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
SmallIntegers = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
# Packed hash codes: the bytes of one code in each row.
Codes = npt.NDArray[np.uint8]

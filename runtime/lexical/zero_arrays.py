"""Arrays of zeros that are reused.

The system provides a new array one page at a time. An array of one number per segment causes a
thousand page faults for a million segments, more than a query takes to score its words.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from factmill.models.arrays import Floats


class ZeroArrays:
    """Reusable arrays of one length, as many as were ever lent at once. Thread-safe."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._free: deque[Floats] = deque()

    @contextmanager
    def lent(self) -> Iterator[Floats]:
        """An array of zeros for one borrower, who must leave zeros behind."""
        try:
            array = self._free.pop()
        except IndexError:
            array = np.zeros(self._length, np.float32)
        yield array
        self._free.append(array)

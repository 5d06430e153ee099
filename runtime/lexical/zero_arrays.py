"""Arrays of zeros that are used again.

A new array of a number for each segment comes from the system a page at a time: for a million
segments a thousand faults, more than a query takes to score its words.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from factmill.models.lexical.bm25 import Floats


class ZeroArrays:
    """Arrays of one length, as many as were lent at once. Thread-safe."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._free: deque[Floats] = deque()

    @contextmanager
    def lent(self) -> Iterator[Floats]:
        """An array of zeros for one borrower, who leaves zeros behind."""
        try:
            array = self._free.pop()
        except IndexError:
            array = np.zeros(self._length, np.float32)
        yield array
        self._free.append(array)

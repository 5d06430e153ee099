"""Finds the codes with the best scores `<v, h>` for a float query with FAISS, many codes at a time.

Four bits of a code are one of 16 sign vectors, so codes are product quantization (Jegou et al.
2011) with a codebook that need not be learned. FAISS's fast scan (Andre et al. 2015) adds up the
contributions of each four bits for 32 codes at once, in 8 bits each, so its results must be
rescored exactly. It needs the codes in its own order, so it keeps a copy of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, cast

import faiss
import numpy as np

from factmill.models.arrays import Codes, Floats, Integers

_Found = tuple[Floats, Integers]

_BITS = 4
_BITS_A_BYTE = 8
# The four signs of each half of a byte, the most significant bit first: -1 and +1.
_SIGNS = (
    2 * np.unpackbits(np.arange(16, dtype=np.uint8)[:, None], axis=1)[:, _BITS:].astype(np.float32)
    - 1
)


class _FlatIndex(Protocol):
    def search(self, x: Floats, k: int) -> _Found:
        """Scores and positions of the k best codes for queries (n, bits), shapes (n, k)."""
        ...


class ScannedCodes:
    """An index that scores all codes, by position."""

    def __init__(self, codes: Codes) -> None:
        """`codes`, shape (n, bytes), may be the first bytes of longer codes."""
        self._width = codes.shape[1]
        bits = _BITS_A_BYTE * self._width
        index = faiss.IndexPQ(bits, bits // _BITS, _BITS, faiss.METRIC_INNER_PRODUCT)
        _fill(index)
        index.add_sa_codes(np.ascontiguousarray(codes))
        self._count = len(codes)
        # FAISS's type stubs lack this constructor.
        scanned = faiss.IndexPQFastScan(index)  # type: ignore[arg-type]
        self._index = cast(_FlatIndex, scanned)

    def __len__(self) -> int:
        return self._count

    def best(self, projected: Floats, count: int) -> Integers:
        """Positions of about the `count` codes with the best scores, in any order; `projected`,
        shape (bits,), is the whole query."""
        count = min(count, self._count)
        if not count:
            return np.empty(0, np.int64)
        with one_thread():
            _, positions = self._index.search(_for_scan(projected, self._width), count)
        found: Integers = positions[0][positions[0] >= 0]
        if len(found) < count:
            # FAISS omits codes that disagree with the query in every bit.
            others = np.setdiff1d(np.arange(self._count), found)
            found = np.concatenate([found, others[: count - len(found)]])
        return found


def _fill(index: faiss.IndexPQ) -> None:
    """Give an index the sign vectors as its codebook."""
    faiss.copy_array_to_vector(np.tile(_SIGNS, (index.pq.M, 1, 1)).ravel(), index.pq.centroids)
    index.is_trained = True


def _for_scan(projected: Floats, width: int) -> Floats:
    """The part of a query for the first `width` bytes of codes, shape (1, bits). FAISS takes the
    low half of a byte first.
    """
    halves = projected[: _BITS_A_BYTE * width].reshape(-1, 2, _BITS)
    return np.ascontiguousarray(halves[:, ::-1]).reshape(1, -1)


@contextmanager
def one_thread() -> Iterator[None]:
    """Restrict FAISS to this thread. A second one does not help a single query."""
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(threads)

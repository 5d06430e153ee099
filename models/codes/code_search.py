"""Codes by tabu search: the code of a vector that a few hundred single flips can find.

What is lowered is e(h) of models/codes/code_sweeps.py without its third term. A sweep ends where no
single flip lowers e; a search goes on from there. At each step the flip that costs least is made,
even if it raises e, except of the bits flipped last, which would only be flipped back; the best
code that was passed is kept (Glover, Tabu Search, 1989). In training, where every bit is asked for
its own sign, sweeps are enough; the codes that are stored are searched (measured in docs/log.md).

With r = D x - D D^T h and m = |x|^2 - h . D x, flipping bit k changes e by four times

    h_k r_k + |d_k|^2 + eta (h_k (d_k . x) m + (d_k . x)^2),   d_k row k of D.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from factmill.models.arrays import Floats
from factmill.models.codes.code_sweeps import ETA
from factmill.models.encoding.device import cores

# For how many steps a bit that was flipped stays as it is, with fewer bits a quarter of them.
_TENURE = 8
_ROWS_AT_ONCE = 512


def search_codes(
    vectors: Floats, codes: Floats, decoder: Floats, *, eta: float = ETA, steps: int
) -> Floats:
    """The best codes within `steps` flips from `codes`, which stay as they are; by all cores.

    `vectors` (n, dimension), `codes` (n, bits) of -1 and +1 with at least 4 bits, `decoder`
    (bits, dimension). No code is worse than it was. What a vector gets depends on no other one.
    """
    from factmill.models.codes.code_kernels import search_rows  # loads the compiler

    found = np.array(codes, dtype=np.float32, order="C")
    # Products are rounded from double precision: otherwise they depend on how many rows are
    # multiplied at once, and a search that differs in one early step ends elsewhere.
    exact = decoder.astype(np.float64)
    products = (exact @ exact.T).astype(np.float32)
    tenure = min(_TENURE, codes.shape[1] // 4)

    def search(start: int) -> None:
        rows, block = vectors[start : start + _ROWS_AT_ONCE], found[start : start + _ROWS_AT_ONCE]
        wide = rows.astype(np.float64)
        own = wide @ exact.T
        residual = own - block @ products.astype(np.float64)
        missing = np.einsum("ij,ij->i", wide, wide) - np.einsum("ij,ij->i", own, block)
        r, along, m = (np.ascontiguousarray(a, dtype=np.float32) for a in (residual, own, missing))
        search_rows(r, along, m, products, block, np.float32(eta), steps, tenure)

    starts = range(0, len(found), _ROWS_AT_ONCE)
    if len(starts) > 1 and cores() > 1:
        with ThreadPoolExecutor(cores()) as threads:
            list(threads.map(search, starts))
    else:
        for start in starts:
            search(start)
    return found

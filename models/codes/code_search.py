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

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from factmill.models.codes.code_sweeps import ETA
from factmill.models.encoding.device import cores

Floats = npt.NDArray[np.float32]

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
    found = np.array(codes, dtype=np.float32, order="C")
    # Products are rounded from double precision: otherwise they depend on how many rows are
    # multiplied at once, and a search that differs in one early step ends elsewhere.
    exact = decoder.astype(np.float64)
    products = (exact @ exact.T).astype(np.float32)
    kernel, tenure = _kernel(), min(_TENURE, codes.shape[1] // 4)

    def search(start: int) -> None:
        rows, block = vectors[start : start + _ROWS_AT_ONCE], found[start : start + _ROWS_AT_ONCE]
        wide = rows.astype(np.float64)
        own = wide @ exact.T
        residual = own - block @ products.astype(np.float64)
        missing = np.einsum("ij,ij->i", wide, wide) - np.einsum("ij,ij->i", own, block)
        numbers = (np.ascontiguousarray(a, dtype=np.float32) for a in (residual, own, missing))
        kernel(*numbers, products, block, np.float32(eta), steps, tenure)

    starts = range(0, len(found), _ROWS_AT_ONCE)
    if len(starts) > 1 and cores() > 1:
        with ThreadPoolExecutor(cores()) as threads:
            list(threads.map(search, starts))
    else:
        for start in starts:
            search(start)
    return found


@cache
def _kernel() -> Callable[..., None]:
    """Compiled at the first search."""
    from factmill.models.codes.compiled import kernel_with

    def search(
        residual: Any,
        own: Any,
        missing: Any,
        products: Any,
        codes: Any,
        eta: Any,
        steps: int,
        tenure: int,
    ) -> None:
        """In index, with r, D x and m of each row's code."""
        rows, bits = codes.shape
        squares, fixed = np.empty(bits, np.float32), np.empty(bits, np.float32)
        best, cost = np.empty(bits, np.float32), np.empty(bits, np.float32)
        # The least of integers is found many at a time, of floats one by one.
        as_integers, keys = cost.view(np.int32), np.empty(bits, np.int32)
        flipped = np.empty(tenure, np.int64)
        never = np.float32(1e37)
        for row in range(rows):
            code, r, along, m = codes[row], residual[row], own[row], missing[row]
            for bit in range(bits):
                best[bit] = code[bit]
                squares[bit] = products[bit, bit] + eta * along[bit] * along[bit]
                fixed[bit] = squares[bit]
                cost[bit] = code[bit] * (r[bit] + eta * m * along[bit]) + fixed[bit]
            flipped[:] = -1
            error, least = np.float32(0), np.float32(0)
            for step in range(steps):
                for bit in range(bits):
                    # Floats are ordered as these integers are.
                    keys[bit] = as_integers[bit] ^ ((as_integers[bit] >> 31) & 0x7FFFFFFF)
                lowest = keys[0]
                for bit in range(bits):
                    lowest = min(lowest, keys[bit])
                pick = 0
                while keys[pick] != lowest:
                    pick += 1
                twice = 2 * code[pick]
                code[pick] = -code[pick]
                error += cost[pick]
                m += twice * along[pick]
                if error < least:
                    least = error
                    for bit in range(bits):
                        best[bit] = code[bit]
                index = step % tenure
                if flipped[index] >= 0:
                    fixed[flipped[index]] = squares[flipped[index]]
                flipped[index] = pick
                fixed[pick] = never
                of_pick, pull = products[pick], eta * m
                for bit in range(bits):
                    r[bit] += twice * of_pick[bit]
                    cost[bit] = code[bit] * (r[bit] + pull * along[bit]) + fixed[bit]
            for bit in range(bits):
                code[bit] = best[bit]

    compiled: Callable[..., None] = kernel_with(fastmath=True)(search)
    return compiled

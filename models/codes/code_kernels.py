"""The inner loops of code search and column sweeps, compiled by numba for fixed argument types.

Importing this module loads the compiler (the extra `build`), so it is imported only where codes are
searched. All arrays are C-contiguous float32; codes are -1 and +1. The names and formulas are those
of code_search.py and code_sweeps.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numba import njit

from factmill.models.arrays import Floats

Kernel = TypeVar("Kernel", bound=Callable[..., None])

_FORBIDDEN = np.float32(1e37)  # the cost of a bit that may not be flipped


def _compiled(signature: str) -> Callable[[Kernel], Kernel]:
    """`njit` that releases the GIL, and caches machine code for the next process if it can."""

    def decorate(function: Kernel) -> Kernel:
        try:
            kernel: Kernel = njit(signature, nogil=True, fastmath=True, cache=True)(function)
        except RuntimeError:  # neither this folder nor the user's cache can be written
            kernel = njit(signature, nogil=True, fastmath=True)(function)
        return kernel

    return decorate


@_compiled("void(f4[:,::1], f4[:,::1], f4[::1], f4[:,::1], f4[:,::1], f4, i8, i8)")
def search_rows(
    residual: Floats,
    own: Floats,
    missing: Floats,
    products: Floats,
    codes: Floats,
    eta: np.float32,
    steps: int,
    tenure: int,
) -> None:
    """Tabu search for each row of `codes` (n, bits), which it overwrites.

    `residual` (n, bits) is r and changes with the codes; `own` (n, bits) is D x, `missing` (n,) is
    m, `products` (bits, bits) is D D^T. A flipped bit stays for `tenure` steps.
    """
    rows, bits = codes.shape
    squares, fixed = np.empty(bits, np.float32), np.empty(bits, np.float32)
    best, cost = np.empty(bits, np.float32), np.empty(bits, np.float32)
    # The least of integers is found many at a time, of floats one by one.
    as_integers, keys = cost.view(np.int32), np.empty(bits, np.int32)
    flipped = np.empty(tenure, np.int64)
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
            oldest = step % tenure
            if flipped[oldest] >= 0:
                fixed[flipped[oldest]] = squares[flipped[oldest]]
            flipped[oldest] = pick
            fixed[pick] = _FORBIDDEN
            of_pick, pull = products[pick], eta * m
            for bit in range(bits):
                r[bit] += twice * of_pick[bit]
                cost[bit] = code[bit] * (r[bit] + pull * along[bit]) + fixed[bit]
        for bit in range(bits):
            code[bit] = best[bit]


@_compiled("void(f4[:,::1], f4[:,::1], f4[:,::1], f4[::1], f4[:,::1], f4, i8)")
def sweep_rows(
    residual: Floats,
    own: Floats,
    gram: Floats,
    missing: Floats,
    codes: Floats,
    eta: np.float32,
    sweeps: int,
) -> None:
    """At most `sweeps` sweeps over the bits of each row of `codes` (n, bits), which they change.

    `residual` (n, bits) is p + lambda b - (G + lambda A) h and `missing` (n,) is |x|^2 - p . h,
    which change with the codes; `own` (n, bits) is p, `gram` (bits, bits) is G + lambda A.
    """
    rows, bits = codes.shape
    for row in range(rows):
        for _ in range(sweeps):
            changed = False
            for bit in range(bits):
                old = codes[row, bit]
                along = own[row, bit]
                pull = residual[row, bit] + old * gram[bit, bit]
                pull += eta * along * (missing[row] + old * along)
                if pull * old < 0:
                    codes[row, bit] = -old
                    changed = True
                    missing[row] += 2 * old * along
                    for other in range(bits):
                        residual[row, other] += 2 * old * gram[bit, other]
            if not changed:
                break

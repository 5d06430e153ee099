"""Scores of rows for a query: `<v, h>` from their codes, or inner products with stored embeddings.

A byte of a code contributes one of 256 sums to `<v, h>`, so these sums are computed once per query,
shape (bytes, 256), and a code's score is looked up byte by byte (as in product quantization).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from factmill.models.arrays import Codes, Floats, Integers

# Maps ascending row numbers to scores.
RowScores = Callable[[Integers], Floats]

# The eight signs of each byte, the most significant bit first: -1 and +1, shape (8, 256).
_SIGNS = 2 * np.unpackbits(np.arange(256, dtype=np.uint8)[None], axis=0).astype(np.float32) - 1


@dataclass(frozen=True, slots=True)
class Query:
    """A query in the forms that the stages need: `vector` is the encoder's, `projected` the head's,
    `sums` the contributions of code bytes.
    """

    text: str
    vector: Floats
    projected: Floats
    code: Codes
    sums: Floats

    @classmethod
    def of(cls, text: str, vector: Floats, projected: Floats) -> Query:
        """`projected` has shape (bits,)."""
        return cls(text, vector, projected, np.packbits(projected > 0), byte_sums(projected))


def byte_sums(projected: Floats) -> Floats:
    """The contribution of each of 256 bytes to `<v, h>` at each position of a code, shape (bytes,
    256).
    """
    sums: Floats = projected.reshape(-1, 8) @ _SIGNS
    return sums


def code_scores(sums: Floats, codes: Codes) -> Floats:
    """`<v, h>` of codes, shape (codes,), from the `byte_sums` of v."""
    first, ones = _of_width(len(sums))
    # Bounds checks are off, because indexes are always valid.
    found = sums.reshape(-1).take(codes + first, mode="wrap")
    # BLAS sums each row in half the time of np.sum.
    scores: Floats = found @ ones
    return scores


@lru_cache(maxsize=4)
def _of_width(width: int) -> tuple[npt.NDArray[np.unsignedinteger], Floats]:
    """The offset of each byte's sums for codes of this width, and a vector of ones. 16-bit indexes
    make the lookup a third faster.
    """
    first = np.arange(0, 256 * width, 256)
    return first.astype(np.min_scalar_type(256 * width - 1)), np.ones(width, np.float32)

"""Discrete column sweeps: codes improved bit by bit, each bit in closed form with the others fixed.

A unit's vector x, shape (dimension,), has the code h in {-1, +1}^bits, which stands for D^T h; D,
shape (bits, dimension), is the decoder. What a sweep lowers is

    e(h) = |x - D^T h|^2 + eta (x . (x - D^T h))^2 + lambda (h^T A h - 2 h . b)

The first term keeps a unit's scores for queries of all directions, the second those for queries
that point to the unit itself, which decide what is found first (the anisotropic loss of ScaNN,
Guo et al. 2020, arXiv 1908.10396, equation 4 with weights not normalised). The third holds any
other quadratic loss: in training, HASH-RAG's.

With p = D x, G = D D^T and everything but bit k fixed, e is linear in h_k, so the best bit is the
sign of a number; `sign(0)` keeps the bit. No step raises e.
"""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Floats

ETA = 8.0
_ROWS_AT_ONCE = 4096


def sweep_codes(
    vectors: Floats,
    codes: Floats,
    decoder: Floats,
    *,
    eta: float = ETA,
    sweeps: int = 1,
    gram: Floats | None = None,
    linear: Floats | None = None,
) -> Floats:
    """Codes after at most `sweeps` sweeps over their columns, fewer when nothing changes any more.

    `vectors` (n, dimension), `codes` (n, bits) of -1 and +1, `decoder` (bits, dimension); `gram`
    is lambda A, symmetric (bits, bits), `linear` lambda b, (n, bits). `codes` stays as it is.
    """
    from factmill.models.codes.code_kernels import sweep_rows  # loads the compiler

    swept = np.array(codes, dtype=np.float32, order="C")
    quadratic = decoder @ decoder.T if gram is None else decoder @ decoder.T + gram
    quadratic = np.ascontiguousarray(quadratic, dtype=np.float32)
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        own = vectors[rows] @ decoder.T
        block = swept[rows]
        pull = own if linear is None else own + linear[rows]
        residual = np.ascontiguousarray(pull - block @ quadratic, dtype=np.float32)
        missing = np.einsum("ij,ij->i", vectors[rows], vectors[rows])
        missing -= np.einsum("ij,ij->i", own, block)
        sweep_rows(residual, own, quadratic, missing, block, np.float32(eta), sweeps)
    return swept


def code_errors(vectors: Floats, codes: Floats, decoder: Floats, eta: float = ETA) -> Floats:
    """e(h) of each row without its third term, shape (n,)."""
    error = vectors - codes @ decoder
    across = np.einsum("ij,ij->i", error, error)
    along = np.einsum("ij,ij->i", error, vectors)
    result: Floats = across + np.float32(eta) * along * along
    return result


def fit_decoder(
    vectors: Floats, codes: Floats, decoder: Floats, eta: float = ETA, iterations: int = 8
) -> Floats:
    """The decoder that lowers the mean of e for given codes: least squares by conjugate gradients
    from `decoder`, so the result is never worse than that. Shape (bits, dimension)."""

    def normal(candidate: Floats) -> Floats:
        image = codes @ candidate
        image += np.float32(eta) * np.einsum("ij,ij->i", image, vectors)[:, None] * vectors
        product: Floats = codes.T @ image
        return product

    squares = np.einsum("ij,ij->i", vectors, vectors)
    wanted = codes.T @ (vectors * (1 + np.float32(eta) * squares)[:, None])
    fitted = decoder.copy()
    residual = wanted - normal(fitted)
    direction = residual.copy()
    before = float(np.vdot(residual, residual))
    # Below, the residual is rounding, and steps along it lead anywhere.
    smallest = 1e-12 * float(np.vdot(wanted, wanted))
    for _ in range(iterations):
        image = normal(direction)
        curvature = float(np.vdot(direction, image))
        if curvature <= 0 or before <= smallest:
            break
        step = np.float32(before / curvature)
        fitted += step * direction
        residual -= step * image
        after = float(np.vdot(residual, residual))
        direction = residual + np.float32(after / before) * direction
        before = after
    return fitted

"""The arithmetic of transformers in NumPy: products of matrices on one core, attention, layer
normalisation, GELU.
"""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Floats

# Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26; its error is below 1.5e-7.
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_T = 0.3275911
# From _MANY_ROWS rows on, products are made in blocks of _BLOCK_ROWS rows; OpenBLAS leaves products
# of up to _UNSPLIT multiplications to one core.
_MANY_ROWS, _BLOCK_ROWS, _MAX_BLOCK_COLUMNS = 32, 8, 64
_UNSPLIT = 1 << 18


def products(rows: Floats, columns: Floats) -> Floats:
    """`rows @ columns^T`, shape (..., rows, columns), on one core.

    For the few rows of a query, NumPy's `@` splits each small matrix among all cores, which then
    wait for each other, on a busy machine ten times as long as they work; only environment
    variables could prevent that. Many rows are multiplied in blocks that are too small to be split,
    in a third of the time. Measured in docs/log.md.
    """
    if rows.ndim == columns.ndim == 2 and len(rows) >= _MANY_ROWS:
        width = _block_width(*columns.shape)
        if width >= _BLOCK_ROWS:
            return _in_blocks(rows, columns, width)
    found = np.vecdot(columns[..., :, None, :], rows[..., None, :, :])
    return np.ascontiguousarray(np.swapaxes(found, -1, -2))


def _block_width(columns: int, dimension: int) -> int:
    """The most columns of a block that divide all of them."""
    most = min(_MAX_BLOCK_COLUMNS, _UNSPLIT // (_BLOCK_ROWS * max(1, dimension)))
    return next((width for width in range(most, 0, -1) if columns % width == 0), 0)


def _in_blocks(rows: Floats, columns: Floats, width: int) -> Floats:
    added = -len(rows) % _BLOCK_ROWS
    padded = np.pad(rows, ((0, added), (0, 0)))
    of_rows = padded.reshape(-1, 1, _BLOCK_ROWS, rows.shape[1])
    of_columns = columns.reshape(1, -1, width, columns.shape[1]).swapaxes(-1, -2)
    blocks = np.matmul(of_rows, of_columns).transpose(0, 2, 1, 3)
    found: Floats = np.ascontiguousarray(blocks).reshape(len(padded), len(columns))[: len(rows)]
    return found


def gelu(values: Floats) -> Floats:
    """x times the standard normal distribution function of x."""
    scaled = np.abs(values) * np.float32(np.sqrt(0.5))
    t = 1 / (1 + np.float32(_ERF_T) * scaled)
    polynomial = np.zeros_like(t)
    for coefficient in reversed(_ERF):
        polynomial = (polynomial + np.float32(coefficient)) * t
    erf: Floats = np.copysign(1 - polynomial * np.exp(-scaled * scaled), values)
    return np.float32(0.5) * values * (1 + erf)


def attention(
    queries: Floats, keys: Floats, contents: Floats, apart: Floats | None = None
) -> Floats:
    """softmax(Q K^T / sqrt(width) + apart) V of each head, side by side: shape (rows, heads *
    width). The others have shape (heads, rows, width), and `apart` (heads, rows, rows).
    """
    heads, rows, width = queries.shape
    scores = products(queries, keys) / np.float32(np.sqrt(width))
    if apart is not None:
        scores += apart
    shares = np.exp(scores - scores.max(axis=2, keepdims=True))
    shares /= shares.sum(axis=2, keepdims=True)
    mixed = products(shares, np.ascontiguousarray(contents.transpose(0, 2, 1)))
    return mixed.transpose(1, 0, 2).reshape(rows, heads * width)


def layer_norm(values: Floats, weight: Floats, bias: Floats, epsilon: float) -> Floats:
    """Each row shifted and scaled to mean 0 and variance 1, then by what was learned."""
    centred = values - values.mean(axis=1, keepdims=True)
    variance = (centred * centred).mean(axis=1, keepdims=True)
    scaled: Floats = centred / np.sqrt(variance + np.float32(epsilon))
    return scaled * weight + bias

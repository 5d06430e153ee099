"""The arithmetic of transformers in NumPy: products of matrices on one core, attention, layer
normalisation, GELU.
"""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Floats

# Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26; its error is below 1.5e-7.
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_T = 0.3275911
# Products are made in blocks of so many rows and at most so many columns. OpenBLAS leaves products
# of up to _UNSPLIT multiplications to one core.
_BLOCK_ROWS, _FEWER_ROWS = 8, 4
_MIN_BLOCK_COLUMNS, _MAX_BLOCK_COLUMNS = 8, 128
_UNSPLIT = 1 << 18
# Values of a step of GELU, whose buffers then stay in a core's cache.
_GELU_STEP = 1 << 15


def products(rows: Floats, columns: Floats) -> Floats:
    """`rows @ columns^T` of a matrix or of a stack, shape (..., rows, columns), on one core.

    For the few rows of a query, NumPy's `@` splits each small matrix among all cores, which then
    wait for each other, on a busy machine ten times as long as they work; only environment
    variables could prevent that. So they are multiplied in blocks that are too small to be split.
    Measured in docs/log.md.
    """
    count, dimension = rows.shape[-2:]
    block = max(1, min(count, _BLOCK_ROWS))
    if count > _BLOCK_ROWS and -count % _FEWER_ROWS < -count % _BLOCK_ROWS:
        block = _FEWER_ROWS
    width = _block_width(columns.shape[-2], block * dimension)
    if not count or width == 0:
        found: Floats = np.vecdot(rows[..., :, None, :], columns[..., None, :, :])
        return found
    return _in_blocks(rows, columns, block, width)


def _block_width(columns: int, values: int) -> int:
    """The most columns of a block that divide all of them, for rows of so many values in all; all
    columns where blocks would be narrow; 0 if these are too many for one core.
    """
    most = _UNSPLIT // max(1, values)
    widest = min(columns, most, _MAX_BLOCK_COLUMNS)
    width = next((width for width in range(widest, 0, -1) if columns % width == 0), 0)
    if width >= _MIN_BLOCK_COLUMNS:
        return width
    return columns if columns <= most else 0


def _in_blocks(rows: Floats, columns: Floats, block: int, width: int) -> Floats:
    """Their products, `block` rows by `width` columns at a time."""
    *stack, count, dimension = rows.shape
    padded = rows
    if count % block:
        padded = np.zeros((*stack, count + -count % block, dimension), rows.dtype)
        padded[..., :count, :] = rows
    found = np.empty((*stack, padded.shape[-2], columns.shape[-2]), rows.dtype)
    # One block of columns meets all rows before the next: weights are larger than caches.
    of_rows = padded.reshape(*stack, 1, -1, block, dimension)
    of_columns = columns.reshape(*stack, -1, 1, width, dimension).swapaxes(-1, -2)
    by_block = found.reshape(*stack, -1, block, columns.shape[-2] // width, width)
    by_columns = by_block.swapaxes(-4, -2).swapaxes(-3, -2)
    np.matmul(of_rows, of_columns, out=by_columns)
    return found[..., :count, :]


def linear(rows: Floats, weight: Floats, bias: Floats) -> Floats:
    """`rows @ weight^T + bias`; `weight` has shape (outputs, inputs)."""
    found = products(rows, weight)
    found += bias
    return found


def gelu(values: Floats) -> Floats:
    """x times the standard normal distribution function of x, for rows of values.

    With erf(s) = 1 - P(t) exp(-s^2) of |x|, it is max(x, 0) - |x| P(t) exp(-s^2) / 2.
    """
    found = np.empty_like(values)
    step = max(1, _GELU_STEP // max(1, values.shape[1]))
    for first in range(0, len(values), step):
        chosen = slice(first, first + step)
        _gelu(values[chosen], found[chosen])
    return found


def _gelu(values: Floats, found: Floats) -> None:
    size = np.abs(values)
    t = size * np.float32(_ERF_T * np.sqrt(0.5))
    t += np.float32(1)
    np.divide(np.float32(1), t, out=t)
    found[:] = 0
    for coefficient in reversed(_ERF):
        found += np.float32(coefficient / 2)
        found *= t
    found *= size
    size *= size
    size *= np.float32(-0.5)
    found *= np.exp(size, out=size)
    np.subtract(np.maximum(values, np.float32(0), out=t), found, out=found)


def attention(
    queries: Floats, keys: Floats, contents: Floats, apart: Floats | None = None
) -> Floats:
    """softmax(Q K^T / sqrt(width) + apart) V of each head, side by side: shape (rows, heads *
    width). The others have shape (heads, rows, width), and `apart` (heads, rows, rows).
    """
    heads, rows, width = queries.shape
    shares = products(queries, keys)
    shares *= np.float32(1 / np.sqrt(width))
    if apart is not None:
        shares += apart
    shares -= shares.max(axis=2, keepdims=True)
    np.exp(shares, out=shares)
    shares /= shares.sum(axis=2, keepdims=True)
    mixed = products(shares, contents.transpose(0, 2, 1))
    return mixed.transpose(1, 0, 2).reshape(rows, heads * width)


def layer_norm(values: Floats, weight: Floats, bias: Floats, epsilon: float) -> Floats:
    """Each row shifted and scaled to mean 0 and variance 1, then by what was learned."""
    centred: Floats = values - values.mean(axis=1, keepdims=True)
    variance = np.vecdot(centred, centred)[:, None] / np.float32(values.shape[1])
    centred /= np.sqrt(variance + np.float32(epsilon))
    centred *= weight
    centred += bias
    return centred

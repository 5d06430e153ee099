"""A small logistic regression: weights of a few numbers, by Newton steps."""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Doubles

_PENALTY, _STEPS = 0.5, 40


def logistic_fit(
    rows: Doubles, wanted: Doubles, shares: Doubles | None = None, penalty: float = _PENALTY
) -> Doubles:
    """The weights of the columns of `rows`, shape (n, columns), with the least loss; `wanted` (n,)
    are 0 or 1, `shares` (n,) how much each row counts. The first column, the bias, is hardly
    penalised."""
    shares = np.ones(len(rows)) if shares is None else shares
    penalties = np.full(rows.shape[1], penalty)
    penalties[0] = 1e-6
    weights: Doubles = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        likely = chances(rows, weights)
        slope = rows.T @ (shares * (likely - wanted)) + penalties * weights
        bend = (rows * (shares * likely * (1.0 - likely))[:, None]).T @ rows + np.diag(penalties)
        weights = weights - np.linalg.solve(bend, slope)
    return weights


def chances(rows: Doubles, weights: Doubles) -> Doubles:
    """The probability of each row, shape (n,)."""
    found: Doubles = 1.0 / (1.0 + np.exp(-np.clip(rows @ weights, -30.0, 30.0)))
    return found

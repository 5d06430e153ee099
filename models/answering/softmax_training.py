"""Training of multinomial logistic regression.

    min over W of  sum_i c_i cross_entropy(softmax(W x_i), y_i) / sum_i c_i  +  strength |W|^2 / 2

It is convex, so Nesterov's accelerated gradient (2004, restarted when the loss rises) finds the
minimum from zero. Deterministic.
"""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Floats, Integers

_STEPS = 300
_POWER_STEPS = 30


def train_softmax(
    features: Floats, labels: Integers, classes: int, strength: float, shares: Floats | None = None
) -> Floats:
    """Weights, shape (classes, width). `shares` are the weights of the examples, 1 each by
    default.
    """
    rows = features.astype(np.float32)
    counted = np.ones(len(rows), np.float32) if shares is None else shares.astype(np.float32)
    counted = counted / counted.sum()
    target = np.eye(classes, dtype=np.float32)[labels]
    rate = 1 / (0.5 * _largest_eigenvalue(rows, counted) + strength)
    weights = np.zeros((classes, rows.shape[1]), np.float32)
    ahead, momentum = weights, 1.0
    for _ in range(_STEPS):
        errors = (probabilities(rows, ahead) - target) * counted[:, None]
        gradient = errors.T @ rows + strength * ahead
        moved = (ahead - rate * gradient).astype(np.float32)
        if float((gradient * (moved - weights)).sum()) > 0:
            momentum = 1.0
        following = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
        ahead = moved + np.float32((momentum - 1) / following) * (moved - weights)
        weights, momentum = moved, following
    return weights


def probabilities(features: Floats, weights: Floats) -> Floats:
    """The probabilities of the classes, shape (examples, classes)."""
    scores = features @ weights.T
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Floats = powers / powers.sum(axis=1, keepdims=True)
    return found


def _largest_eigenvalue(rows: Floats, counted: Floats) -> float:
    """The largest eigenvalue of the rows' weighted second moments, slightly overestimated, by power
    iteration.
    """
    direction = np.ones(rows.shape[1], np.float32)
    length = 1.0
    for _ in range(_POWER_STEPS):
        direction = rows.T @ (counted * (rows @ direction))
        length = float(np.linalg.norm(direction))
        direction /= max(length, 1e-12)
    return 1.05 * length

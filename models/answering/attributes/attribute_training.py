"""Training of linear models on question vectors: a support vector machine in NumPy.

One class against the rest, with squared hinge loss and classes of equal weight:

    min over w of  lambda |w|^2 + sum_i c_i max(0, 1 - y_i w.x_i)^2

The loss is piecewise quadratic, so Newton's method on the rows inside the margin converges in a few
steps (Keerthi and DeCoste, 2005). Deterministic.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np

from factmill.models.arrays import Doubles, Flags, Floats, Integers

_STEPS = 30
FOLDS = 5


def train_linear(features: Floats, labels: Integers, classes: int, strength: float) -> Doubles:
    """Weights, shape (classes, width). `strength` is lambda."""
    counts = np.maximum(np.bincount(labels, minlength=classes), 1)
    shares = (len(labels) / (classes * counts))[labels]
    rows = features.astype(np.float64)
    return np.stack([_one(rows, labels == one, shares, strength) for one in range(classes)])


def _one(rows: Doubles, is_class: Flags, shares: Doubles, strength: float) -> Doubles:
    wanted = np.where(is_class, 1.0, -1.0)
    weights: Doubles = np.zeros(rows.shape[1])
    inside_before = None
    for _ in range(_STEPS):
        inside = wanted * (rows @ weights) < 1.0
        if inside_before is not None and (inside == inside_before).all():
            break
        inside_before = inside
        scaled = rows[inside] * shares[inside, None]
        curvature = scaled.T @ rows[inside] + strength * np.eye(rows.shape[1])
        weights = np.linalg.solve(curvature, scaled.T @ wanted[inside]).astype(np.float64)
    return weights


def fold_of(group: str) -> int:
    """Which of FOLDS parts a group of questions is held out with."""
    return crc32(group.encode()) % FOLDS


def held_out_predictions(
    features: Floats, labels: Integers, groups: Sequence[str], classes: int, strength: float
) -> Integers:
    """For each row, the class predicted by a model trained without its fold; the rows of a group
    share a fold.
    """
    folds = np.array([fold_of(group) for group in groups])
    predicted = np.empty_like(labels)
    for fold in range(FOLDS):
        inside = folds == fold
        if inside.any():
            weights = train_linear(features[~inside], labels[~inside], classes, strength)
            predicted[inside] = (features[inside] @ weights.T).argmax(axis=1)
    return predicted


def confusion(labels: Integers, predicted: Integers, classes: int) -> Integers:
    """Counts by label (rows) and prediction (columns)."""
    table = np.zeros((classes, classes), np.int64)
    np.add.at(table, (labels, predicted), 1)
    return table

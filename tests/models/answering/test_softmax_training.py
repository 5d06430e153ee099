"""Softmax regression against its own conditions, and figures of probabilities against counting."""

from __future__ import annotations

import numpy as np
import pytest

from factmill.models.answering.probability_figures import (
    average_precision,
    calibration_error,
    precision_and_recall,
)
from factmill.models.answering.softmax_training import probabilities, train_softmax


def test_weights_are_where_the_loss_has_no_slope() -> None:
    rng = np.random.default_rng(5)
    features = rng.normal(size=(200, 6)).astype(np.float32)
    labels = rng.integers(0, 3, 200)
    shares = rng.uniform(0.5, 2, 200).astype(np.float32)

    weights = train_softmax(features, labels, 3, 0.01, shares)

    errors = (probabilities(features, weights) - np.eye(3)[labels]) * (shares / shares.sum())[
        :, None
    ]
    assert np.abs(errors.T @ features + 0.01 * weights).max() < 1e-4


def test_shares_count_as_copies_do() -> None:
    rng = np.random.default_rng(6)
    features = rng.normal(size=(40, 3)).astype(np.float32)
    labels = rng.integers(0, 2, 40)
    copies = np.arange(40) % 3 + 1

    shared = train_softmax(features, labels, 2, 0.1, copies.astype(np.float32))
    copied = train_softmax(features.repeat(copies, axis=0), labels.repeat(copies), 2, 0.1)

    np.testing.assert_allclose(shared, copied, atol=1e-4)


def test_average_precision_is_that_of_a_ranking() -> None:
    scores = np.array([0.9, 0.8, 0.7, 0.6], np.float32)

    assert average_precision(scores, np.array([True, False, True, False])) == pytest.approx(5 / 6)
    assert average_precision(np.zeros(4, np.float32), np.array([True, False, False, False])) == 0.25


def test_calibration_error_is_the_distance_of_chance_and_share() -> None:
    chances = np.array([0.9, 0.9, 0.1, 0.1], np.float32)

    assert calibration_error(chances, np.array([True, True, False, False])) == pytest.approx(0.1)
    assert calibration_error(chances, np.array([False, False, False, False])) == pytest.approx(0.5)


def test_precision_and_recall_of_a_class() -> None:
    labels, predicted = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0])

    assert precision_and_recall(labels, predicted, 1) == (2 / 3, 2 / 3)
    assert precision_and_recall(labels, predicted, 2) == (0.0, 0.0)

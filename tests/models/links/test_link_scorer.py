from __future__ import annotations

import math

import numpy as np
import pytest

from factmill.models.links.link_scorer import FEATURES, LinkScorer, default_scorer, lifted


def _random(seed: int, units: int = 5) -> LinkScorer:
    random = np.random.default_rng(seed)
    shapes = {
        "hidden": (len(FEATURES), units), "hidden_bias": (units,), "out": (units,), "out_bias": (1,)
    }  # fmt: skip
    return LinkScorer.of(
        {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    )


def test_lifts_are_those_of_the_formula() -> None:
    scorer = _random(1)
    features = np.random.default_rng(2).normal(size=(3, len(FEATURES))).astype(np.float32)
    for row, found in zip(features.tolist(), scorer.lifts(features).tolist(), strict=True):
        inner = [
            math.tanh(sum(x * w for x, w in zip(row, column, strict=True)) + bias)
            for column, bias in zip(
                scorer.hidden.T.tolist(), scorer.hidden_bias.tolist(), strict=True
            )
        ]
        outer = sum(x * w for x, w in zip(inner, scorer.out.tolist(), strict=True))
        assert found == pytest.approx(outer + scorer.out_bias[0], abs=1e-5)


def test_scorer_of_its_own_tensors_is_the_same() -> None:
    scorer, again = _random(3), LinkScorer.of(_random(3).tensors())
    features = np.ones((1, len(FEATURES)), np.float32)
    assert again.lifts(features).tolist() == scorer.lifts(features).tolist()


def test_default_scorer_reads_all_features_and_is_bounded() -> None:
    scorer = default_scorer()
    assert len(scorer.hidden) == len(FEATURES)
    most = np.abs(scorer.out).sum() + np.abs(scorer.out_bias).sum()
    wild = np.full((1, len(FEATURES)), 1e6, np.float32)
    assert abs(scorer.lifts(wild)[0]) <= most + 1e-6
    assert scorer.lifts(np.empty((0, len(FEATURES)), np.float32)).shape == (0,)


def test_lifted_pages_come_nearer_to_the_best_and_never_pass_it() -> None:
    fused = np.array([0.2, 0.2, 0.2, 0.6])
    found = lifted(fused, 0.6, np.array([0, np.log(2), -np.log(2), 5], np.float32))
    np.testing.assert_allclose(found, [0.2, 0.4, -0.2, 0.6], atol=1e-6)
    assert lifted(fused, 0.6, np.full(4, 30, np.float32)).max() <= 0.6

from __future__ import annotations

import numpy as np
import pytest

from factmill.models.links.asked_question import AskedQuestion, mean_recalls, nearness, recalls_of
from factmill.models.links.link_scorer import FEATURES
from tests.models.links.asked import lifting

# Page 1 is named; pages 1 and 3 are gold, and one more was not found.
FUSED = np.array([0.5, 0.2, 0.4, 0.3])
GOLD = np.array([False, True, False, True])
NAMED = np.array([0, 1])
LINKED = np.zeros((2, len(FEATURES)), np.float32)
ASKED = AskedQuestion("chains", FUSED, GOLD, 1, NAMED, LINKED)


def test_recalls_are_shares_of_all_gold_pages_as_a_scorer_ranks_them() -> None:
    assert ASKED.recalls(None) == pytest.approx([0, 0, 2 / 3, 2 / 3])
    assert ASKED.recalls(lifting(5)) == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3])


def test_example_leaves_the_best_page_out_and_keeps_named_pages_apart() -> None:
    example = ASKED.example()
    np.testing.assert_allclose(example.named, -np.log([0.3]), rtol=1e-5)
    assert example.named_gold.tolist() == [True]
    assert example.features.shape == (1, len(FEATURES))
    np.testing.assert_allclose(example.others, -np.log([0.1, 0.2]), rtol=1e-5)
    assert example.others_gold.tolist() == [False, True]


def test_mean_recalls_are_of_each_dataset_and_of_all() -> None:
    nothing = AskedQuestion("", FUSED, ~GOLD, 0, NAMED, LINKED)
    questions = [ASKED, nothing]
    found = mean_recalls(questions, recalls_of(questions, [lifting(5), None]))
    assert sorted(found) == ["all", "chains"]
    assert found["chains"]["recall@2"] == pytest.approx(1 / 3)
    assert found["all"]["recall@2"] == pytest.approx((1 / 3 + 1) / 2)


def test_nearness_is_more_the_nearer_a_score_is_to_the_best() -> None:
    found = nearness(np.array([0.5, 0.4, 0.6]), 0.6)
    np.testing.assert_allclose(found[:2], -np.log([0.1, 0.2]), rtol=1e-5)
    assert found[0] < found[2] < 10

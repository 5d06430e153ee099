from __future__ import annotations

import numpy as np

from factmill.models.links.asked_question import LinkExample
from factmill.models.links.link_config import LinkTraining
from factmill.models.links.link_scorer import FEATURES
from factmill.models.links.link_training import train_link_scorer


def _examples(count: int, seed: int) -> list[LinkExample]:
    """Of two named pages the one that is linked is gold, though another page scores better."""
    random, linked = np.random.default_rng(seed), FEATURES.index("linked")
    found = []
    for _ in range(count):
        features = random.normal(size=(2, len(FEATURES))).astype(np.float32)
        features[:, linked] = [1, 0]
        found.append(
            LinkExample(
                np.array([1.0, 1.5], np.float32), np.array([True, False]), features,
                np.array([2.0, 0.0], np.float32), np.array([False, False]),
            )
        )  # fmt: skip
    return found


def test_trained_scorer_ranks_pages_of_new_questions() -> None:
    scorer = train_link_scorer(_examples(200, seed=1), LinkTraining(epochs=150))
    for example in _examples(50, seed=2):
        first, second = example.named + scorer.lifts(example.features)
        assert first > max(second, 2.0)


def test_training_is_the_same_for_equal_arguments() -> None:
    one, other = (
        train_link_scorer(_examples(20, seed=1), LinkTraining(epochs=3)) for _ in range(2)
    )
    assert all(
        np.array_equal(other.tensors()[name], value) for name, value in one.tensors().items()
    )


def test_gold_pages_that_nothing_names_hold_lifts_down() -> None:
    """The page that answers is not named: a named page that scores less stays behind it."""
    random = np.random.default_rng(5)
    examples = [
        LinkExample(
            np.array([1.0], np.float32), np.array([False]),
            random.normal(size=(1, len(FEATURES))).astype(np.float32),
            np.array([1.0], np.float32), np.array([True]),
        )
        for _ in range(100)
    ]  # fmt: skip
    scorer = train_link_scorer(examples, LinkTraining(epochs=100))
    assert all(scorer.lifts(example.features)[0] < -0.2 for example in examples)

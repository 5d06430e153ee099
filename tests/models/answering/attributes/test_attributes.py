"""Attributes of questions: the weights that come with the package, and their training."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from factmill.models.answering.attributes.attribute_training import (
    FOLDS,
    confusion,
    fold_of,
    held_out_predictions,
    train_linear,
)
from factmill.models.answering.attributes.attributes import (
    Domain,
    Dynamism,
    attribute_weights,
    with_bias,
)

QUESTIONS = Path(__file__).parents[4] / "samples" / "attribute_questions.jsonl"


def test_weights_are_of_the_default_encoder() -> None:
    weights = attribute_weights()

    assert weights.encoder.startswith("encoder-")
    assert weights.domains.shape == (len(Domain), 385)
    assert weights.dynamisms.shape == (len(Dynamism), 385)


def test_questions_are_balanced_and_each_is_there_once() -> None:
    rows = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    cells = [(row["domain"], row["dynamism"]) for row in rows]

    assert len(rows) == len({row["question"] for row in rows}) >= 600
    assert set(cells) == {(one.value, other.value) for one in Domain for other in Dynamism}
    assert min(map(cells.count, set(cells))) >= 25
    assert {fold_of(row["template"]) for row in rows} == set(range(FOLDS))


def test_training_separates_what_a_plane_separates() -> None:
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(3, 20))
    labels = np.arange(300) % 3
    vectors = (centres[labels] + 0.1 * rng.normal(size=(300, 20))).astype(np.float32)
    features = with_bias(vectors)

    weights = train_linear(features, labels, 3, 0.5)

    assert ((features @ weights.T).argmax(axis=1) == labels).all()


def test_held_out_groups_are_not_learned_from() -> None:
    # The label can be read from the group alone, and no group is on both sides.
    groups = [f"template-{number % 50}" for number in range(400)]
    rng = np.random.default_rng(4)
    of_group = rng.integers(0, 2, 50)
    labels = np.array([of_group[number % 50] for number in range(400)])
    features = with_bias(np.eye(50, dtype=np.float32)[np.arange(400) % 50])

    predicted = held_out_predictions(features, labels, groups, 2, 0.1)

    assert (predicted == labels).mean() < 0.8
    assert confusion(labels, predicted, 2).sum() == 400

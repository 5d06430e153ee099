"""Training of the relevance head: it learns, twice alike, and goes on where it was killed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from factmill.models.answering.r2former import r2former_training
from factmill.models.answering.r2former.r2former import R2Former
from factmill.models.answering.r2former.r2former_training import train_r2former
from factmill.models.answering.r2former.trainable_r2former import TrainableR2Former, padded
from factmill.models.answering.r2former.training_config import R2FormerTraining
from factmill.schemas.errors import CorruptStore, ModelMismatch
from tests.models.answering.r2former.tiny_r2former import rankings, tiny_card

CONFIG = R2FormerTraining(epochs=3, batch=8, learning_rate=0.01)
CARD = tiny_card(llm="", llm_width=0)


def test_it_learns_which_documents_are_relevant() -> None:
    model = R2Former(CARD, train_r2former(CARD, rankings(80), replace(CONFIG, epochs=8)))
    unseen = rankings(40, seed=1)

    right = [(model.relevance(one.features) > 0) == one.relevant for one in unseen]
    assert np.concatenate(right).mean() > 0.9


def test_numpy_computes_what_was_trained() -> None:
    examples = rankings(6)
    torch.manual_seed(0)
    model = TrainableR2Former(CARD, examples).eval()
    features, _, there = padded(examples)
    with torch.no_grad():
        expected = model.relevance(model.states(features, there))

    for row, example in enumerate(examples):
        found = R2Former(CARD, model.weights()).relevance(example.features)
        assert found == pytest.approx(expected[row, : len(found)].numpy(), abs=1e-5)


class Killed(Exception):
    """Ends a training."""


def test_training_that_was_killed_goes_on_to_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples, state = rankings(20), tmp_path / "state"
    whole = train_r2former(CARD, examples, CONFIG)

    def kill_at_step_4(_: str, step: int, __: int) -> None:
        if step == 4:
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(r2former_training, "report_progress", kill_at_step_4)
        with pytest.raises(Killed):
            train_r2former(CARD, examples, CONFIG, state)
    resumed = train_r2former(CARD, examples, CONFIG, state)

    assert state.is_file()
    assert {name: one.tolist() for name, one in resumed.items()} == {
        name: one.tolist() for name, one in whole.items()
    }


def test_the_state_of_another_training_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "state"
    train_r2former(CARD, rankings(8), CONFIG, state)

    with pytest.raises(ModelMismatch, match="other settings or data"):
        train_r2former(CARD, rankings(8, seed=5), CONFIG, state)
    state.write_bytes(state.read_bytes()[:100])
    with pytest.raises(CorruptStore, match="not the state of a training"):
        train_r2former(CARD, rankings(8), CONFIG, state)

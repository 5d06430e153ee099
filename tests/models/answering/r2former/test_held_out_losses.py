"""Losses of held-out questions tell right features from shuffled ones."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from factmill.models.answering.r2former.held_out_losses import held_out_losses
from factmill.models.answering.r2former.shown_example import ShownExample, loss_of_answer
from factmill.models.answering.r2former.training_config import RankedExample
from tests.models.answering.r2former.tiny_llm import WIDTH, tiny_llm
from tests.models.answering.r2former.tiny_r2former import tiny_r2former


def test_losses_are_those_of_right_and_of_shuffled_features() -> None:
    llm, model = tiny_llm(), tiny_r2former(llm="tiny", llm_width=WIDTH)
    features = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
    ranked = RankedExample(features, np.array([True, False]))
    example = ShownExample("When?", ("1901",), ("the bridge of 1901", "a text"), ranked)

    found = held_out_losses(llm, model, [example, example], 900)

    with torch.no_grad():
        right, other = (
            float(loss_of_answer(llm, example, np.arange(2), model.embeddings(one), 900))
            for one in (features, features[::-1].copy())
        )
    assert right != other
    assert found == pytest.approx({"answer": right, "shuffled": other})

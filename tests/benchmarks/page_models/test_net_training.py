from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.benchmarks.page_models import net_training
from tests.benchmarks.page_models.net_training import Batch, TrainedNet

LABELS = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
WORDS = torch.tensor([[20.0, 30.0, 40.0], [50.0, 20.0, 0.0]])


def _batch(labels: torch.Tensor = LABELS, words: torch.Tensor = WORDS) -> Batch:
    pages, blocks = labels.shape
    inputs = torch.randn(pages, blocks, 5, generator=torch.Generator().manual_seed(0))
    return Batch(inputs, labels, words, torch.ones(pages, blocks))


def test_loss_of_each_page_is_its_own_and_small_where_all_is_right() -> None:
    right = (LABELS * 2 - 1) * 12.0
    first, second = net_training._losses(right, _batch()).tolist()
    wrong = right.clone()
    wrong[1] *= -1
    same, worse = net_training._losses(wrong, _batch()).tolist()

    assert first < 0.05
    assert second < 0.1
    assert same == first
    assert worse > 1.0


def test_blocks_without_words_count_nothing() -> None:
    logits = torch.tensor([[12.0, -12.0, 12.0], [-12.0, 12.0, 12.0]])
    changed = logits.clone()
    changed[1, 2] = -12.0
    losses = [net_training._losses(one, _batch()).tolist() for one in (logits, changed)]
    assert losses[0] == losses[1]


def test_inputs_are_dropped_for_all_blocks_of_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(net_training, "_INPUTS_DROPPED", 0.5)
    torch.manual_seed(1)
    net = TrainedNet(40)
    seen: list[torch.Tensor] = []
    net.input.register_forward_hook(lambda _, given, __: seen.append(given[0]))
    net.train()
    net(torch.ones(3, 6, 40), torch.ones(3, 6), torch.ones(3, 6))

    dropped = (seen[0] == 0).numpy()
    assert np.array_equal(dropped.all(axis=1), dropped.any(axis=1))
    assert 0.3 < dropped.mean() < 0.7
    assert not np.array_equal(dropped[0], dropped[1])

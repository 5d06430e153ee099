"""The network that is trained and the one that reads are the same function."""

import numpy as np
import torch

from factmill.models.readers.heuristic.statement_net import StatementNet
from tests.benchmarks.statement_net_training import (
    TrainableNet,
    Words,
    net_tensors,
    teacher_scores,
    train_net,
)
from tests.benchmarks.train_unit_judge import logistic_regression

TEXTS = ["Oslo is a town.", "Unlit lamps, 30 of them, cost more than NATO's.", "It's the same."]


def test_stored_tensors_give_the_scores_of_the_trained_network() -> None:
    words = Words()
    numbers, marks = words.texts(TEXTS)
    torch.manual_seed(1)
    net = TrainableNet(words.table()).eval()
    with torch.no_grad():
        wanted = net.out(net(numbers, marks))[:, 0].numpy()
    read = StatementNet.of(net_tensors(net, words))
    np.testing.assert_allclose([read.score(text) for text in TEXTS], wanted, atol=0.02)


def test_network_learns_the_scores_it_is_shown() -> None:
    words = Words()
    texts = [TEXTS[0], TEXTS[2]] * 96
    numbers, marks = words.texts(texts)
    wanted = np.array([2.0, -2.0] * 96, dtype=np.float32)
    net = train_net(words.table(), numbers, marks, wanted, np.arange(192), np.array([1.0, 0.0]))
    read = StatementNet.of(net_tensors(net, words))
    assert read.score(TEXTS[0]) > 0.5 > -0.5 > read.score(TEXTS[2])


def test_teacher_orders_states_as_people_judged_them() -> None:
    random = np.random.default_rng(0)
    states = random.normal(size=(300, 160)).astype(np.float32)
    right = (states[:200, 0] > 0).astype(float)
    scores = teacher_scores(states, np.arange(200), right, logistic_regression)
    unseen = states[200:, 0] > 0
    assert scores[200:][unseen].mean() > scores[200:][~unseen].mean() + 0.5

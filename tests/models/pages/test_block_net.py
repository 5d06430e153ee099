from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from factmill.models.pages.block_net import BlockNet, net_inputs
from tests.benchmarks.page_models.net_training import TrainedNet, net_weights, save_net

FEATURES, KINDS, BLOCKS = 5, 7, 23


def _net() -> tuple[BlockNet, list[TrainedNet]]:
    torch.manual_seed(7)
    trained = [TrainedNet(FEATURES + KINDS).eval() for _ in range(2)]
    weights = [net_weights(net) for net in trained]
    stacked = {name: np.stack([one[name] for one in weights]) for name in weights[0]}
    means = np.arange(FEATURES, dtype=np.float32)
    names = tuple(f"feature {n}" for n in range(FEATURES))
    return BlockNet(names, means, np.full(FEATURES, 2, np.float32), stacked), trained


def _page() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    features = rng.normal(0, 5, (BLOCKS, FEATURES)).astype(np.float32)
    kinds = rng.dirichlet(np.ones(KINDS)).astype(np.float32)
    return features, kinds, rng.integers(0, 30, BLOCKS).astype(np.float32)


def test_block_net_computes_what_the_trained_network_computes() -> None:
    net, trained = _net()
    features, kinds, words = _page()
    inputs = torch.from_numpy(net_inputs(features, kinds, net.means, net.deviations))[None]
    with torch.no_grad():
        counted, real = torch.from_numpy(words)[None], torch.ones(1, BLOCKS)
        wanted = np.mean(
            [torch.sigmoid(one(inputs, counted, real))[0].numpy() for one in trained], axis=0
        )
    np.testing.assert_allclose(net.probabilities(features, kinds, words), wanted, atol=1e-5)


def test_block_net_saved_and_loaded_gives_about_the_same_probabilities(tmp_path: Path) -> None:
    net, _ = _net()
    save_net(net, tmp_path / "net.npz")
    loaded = BlockNet.load(tmp_path / "net.npz")
    assert loaded.features == net.features
    page = _page()
    np.testing.assert_allclose(loaded.probabilities(*page), net.probabilities(*page), atol=5e-3)

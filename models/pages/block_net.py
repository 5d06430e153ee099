"""A small network that predicts for each block of a page how likely it is main content, in NumPy.

`tests/benchmarks/page_models` trains it. Each block is read together with its neighbours, by two
convolutions over the blocks in order, and with features of the whole page. Several networks with
different initial weights are averaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from factmill.models.arrays import Floats

WEIGHTS = Path(__file__).with_name("block_net.npz")
# Features are in standard deviations, clipped to this.
MAX_DEVIATIONS = 4.0
# The first convolution reads neighbours; the second has dilation 3.
WINDOW = 5
DILATION = 3
# Weights that are stored as whole numbers of a byte, in steps of their own for each output. The
# name of an array of steps ends in this.
MATRICES = ("input", "near", "wide", "page")
STEP = "_step"
# Probabilities of kinds are inputs as square roots, scaled to about the spread of the other
# features.
KIND_SCALE = 2.0


@dataclass(frozen=True, slots=True)
class BlockNet:
    """Weights by name, each with the networks as first axis; features by name, in order."""

    features: tuple[str, ...]
    means: Floats
    deviations: Floats
    weights: dict[str, Floats]

    @classmethod
    def load(cls, path: Path) -> BlockNet:
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in stored.files}
        features = tuple(arrays.pop("features").tolist())
        means, deviations = arrays.pop("means"), arrays.pop("deviations")
        steps = {name: arrays.pop(f"{name}{STEP}") for name in MATRICES}
        weights = {name: array.astype(np.float32) for name, array in arrays.items()}
        for name, step in steps.items():
            weights[name] *= step
        return cls(features, means, deviations, weights)

    def probabilities(self, features: Floats, kinds: Floats, words: Floats) -> Floats:
        """The probability of each block. `features` has a row for each block, `kinds` the page's
        probabilities of kinds, `words` the number of counted words in each block.
        """
        inputs = net_inputs(features, kinds, self.means, self.deviations)
        nets = len(self.weights["input_bias"])
        logits = [self._logits(net, inputs, words) for net in range(nets)]
        found: Floats = np.mean(
            [1 / (1 + np.exp(-np.clip(one, -30, 30))) for one in logits], axis=0
        )
        return found

    def _logits(self, net: int, inputs: Floats, words: Floats) -> Floats:
        weight = {name: array[net] for name, array in self.weights.items()}
        hidden = _rectified(inputs @ weight["input"] + weight["input_bias"])
        near = _rectified(_convolved(hidden, weight["near"], 1) + weight["near_bias"])
        page = (words @ near) / max(1.0, float(words.sum()))
        wide = _convolved(near, weight["wide"], DILATION) + weight["wide_bias"]
        wide = _rectified(wide + page @ weight["page"] + weight["page_bias"])
        output = weight["output"]
        hiddens, nears = hidden.shape[1], near.shape[1]
        logits: Floats = (
            hidden @ output[:hiddens]
            + near @ output[hiddens : hiddens + nears]
            + wide @ output[hiddens + nears :]
            + weight["output_bias"]
        )
        return logits


@cache
def block_net() -> BlockNet:
    """The packaged network, loaded once per process."""
    return BlockNet.load(WEIGHTS)


def net_inputs(features: Floats, kinds: Floats, means: Floats, deviations: Floats) -> Floats:
    """The network's input for each block: features in standard deviations, and the kinds."""
    scaled = np.clip((features - means) / deviations, -MAX_DEVIATIONS, MAX_DEVIATIONS)
    repeated = np.broadcast_to(np.sqrt(kinds) * KIND_SCALE, (len(features), len(kinds)))
    found: Floats = np.hstack([scaled, repeated]).astype(np.float32)
    return found


def _rectified(values: Floats) -> Floats:
    return np.maximum(values, 0)


def _convolved(rows: Floats, kernel: Floats, dilation: int) -> Floats:
    """Sums over a window of rows around each; `kernel` has a matrix for each row of the window."""
    middle = WINDOW // 2
    found: Floats = rows @ kernel[middle]
    for step in range(1, middle + 1):
        reach = step * dilation
        found[reach:] += rows[:-reach] @ kernel[middle - step]
        found[:-reach] += rows[reach:] @ kernel[middle + step]
    return found

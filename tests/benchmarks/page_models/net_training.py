"""Training of the network that judges blocks (`block_net`), in PyTorch.

The loss is half the F1 of a page over words, as it can be differentiated, and half the cross
entropy of its blocks, so that probabilities stay probabilities. Each page counts the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from factmill.models.arrays import Floats
from factmill.models.pages.block_net import (
    DILATION,
    MATRICES,
    STEP,
    WINDOW,
    BlockNet,
    net_inputs,
)
from tests.benchmarks.page_models.prepared_pages import PreparedPage

_HIDDEN, _NEAR, _WIDE = 64, 48, 32
_DROPPED, _INPUTS_DROPPED = 0.25, 0.1
_LEARNING_RATE, _DECAY, _PAGES_AT_ONCE = 2e-3, 1e-2, 16
_WARM_STEPS, _LAST_RATE = 40, 0.02
# The beginning of a longer page is learned from.
_MAX_BLOCKS = 2500
# Words that a page counts for at least: a mark or two in a page of nothing is no F1 to follow.
_FEW_WORDS = 5.0
_ENTROPY_OF_ALL, _ENTROPY_WORDS = 0.3, 30.0
_EVERY_BLOCK = 3
# Whole numbers of a byte go so far from zero. A step of nothing divides nothing.
_MAX_STEPS, _LEAST_STEP = 127, 1e-9


@dataclass(frozen=True, slots=True)
class Batch:
    """Several pages, filled up with zeros to the longest. Pages are the first axis, blocks the
    second; `real` is 1 where there is a block."""

    inputs: Tensor
    labels: Tensor
    counted: Tensor
    real: Tensor


class TrainedNet(nn.Module):
    """The same as `BlockNet` computes, with one network."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.input = nn.Linear(inputs, _HIDDEN)
        self.near = nn.Conv1d(_HIDDEN, _NEAR, WINDOW, padding=WINDOW // 2)
        self.wide = nn.Conv1d(
            _NEAR, _WIDE, WINDOW, padding=DILATION * (WINDOW // 2), dilation=DILATION
        )
        self.page = nn.Linear(_NEAR, _WIDE)
        self.output = nn.Linear(_HIDDEN + _NEAR + _WIDE, 1)
        self.drop_inputs, self.drop = nn.Dropout(_INPUTS_DROPPED), nn.Dropout(_DROPPED)

    def forward(self, inputs: Tensor, counted: Tensor, real: Tensor) -> Tensor:
        hidden = self.drop(functional.relu(self.input(self.drop_inputs(inputs)))) * real[..., None]
        near = functional.relu(self.near(hidden.transpose(1, 2))) * real[:, None]
        page = (near * counted[:, None]).sum(2) / counted.sum(1, keepdim=True).clamp(min=1)
        wide = functional.relu(self.wide(self.drop(near)) + self.page(page)[:, :, None])
        parts = [hidden, near.transpose(1, 2), self.drop(wide).transpose(1, 2)]
        logits: Tensor = self.output(torch.cat(parts, 2))[..., 0]
        return logits


def train_net(
    pages: Sequence[PreparedPage], kinds: Sequence[Floats], epochs: int, seeds: Sequence[int]
) -> BlockNet:
    """Networks from several beginnings. `kinds`: probabilities of kinds of each page, from a model
    that has not seen it."""
    sample = np.vstack([page.features[::_EVERY_BLOCK] for page in pages])
    means, deviations = sample.mean(0), sample.std(0) + np.float32(1e-3)
    learned = [
        (page, net_inputs(page.features, of, means, deviations)[:_MAX_BLOCKS])
        for page, of in zip(pages, kinds, strict=True)
        if page.content_words
    ]
    nets = [_trained(learned, epochs, seed) for seed in seeds]
    weights = [net_weights(net) for net in nets]
    stacked = {name: np.stack([one[name] for one in weights]) for name in weights[0]}
    return BlockNet(pages[0].names, means, deviations, stacked)


def save_net(net: BlockNet, path: Path) -> None:
    """Write it as `BlockNet.load` reads it: matrices in steps, other weights in half precision."""
    stored: dict[str, npt.NDArray[Any]] = {}
    for name, array in net.weights.items():
        if name not in MATRICES:
            stored[name] = array.astype(np.float16)
            continue
        within = tuple(range(1, array.ndim - 1))  # one network, one output
        step = np.maximum(np.abs(array).max(within, keepdims=True) / _MAX_STEPS, _LEAST_STEP)
        stored[name] = np.round(array / step).astype(np.int8)
        stored[f"{name}{STEP}"] = step.astype(np.float32)
    names = np.array(net.features)
    np.savez_compressed(
        path,
        features=names,
        means=net.means,
        deviations=net.deviations,
        **stored,  # type: ignore[arg-type]
    )


def _trained(learned: Sequence[tuple[PreparedPage, Floats]], epochs: int, seed: int) -> TrainedNet:
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    net = TrainedNet(learned[0][1].shape[1])
    optimizer = torch.optim.AdamW(net.parameters(), _LEARNING_RATE, weight_decay=_DECAY)
    steps = epochs * -(-len(learned) // _PAGES_AT_ONCE)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min(1.0, step / _WARM_STEPS) * max(_LAST_RATE, 1 - step / steps),
    )
    net.train()
    for _ in range(epochs):
        for batch in _batches(learned, rng):
            loss = _loss(net(batch.inputs, batch.counted, batch.real), batch)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return net.eval()


def _loss(logits: Tensor, batch: Batch) -> Tensor:
    likely = torch.sigmoid(logits)
    marked = (batch.counted * batch.labels).sum(1)
    hits = (likely * batch.counted * batch.labels).sum(1)
    f1 = 2 * hits / ((likely * batch.counted).sum(1) + marked + _FEW_WORDS)
    entropy = functional.binary_cross_entropy_with_logits(logits, batch.labels, reduction="none")
    size = marked + _ENTROPY_OF_ALL * batch.counted.sum(1) + _ENTROPY_WORDS
    loss: Tensor = ((1 - f1) / 2 + (entropy * batch.counted).sum(1) / size / 2).mean()
    return loss


def _batches(
    learned: Sequence[tuple[PreparedPage, Floats]], rng: np.random.Generator
) -> Iterator[Batch]:
    """Pages of about the same length together, in random order."""
    order = rng.permutation(len(learned))
    for start in range(0, len(order), 8 * _PAGES_AT_ONCE):
        group = sorted(order[start : start + 8 * _PAGES_AT_ONCE], key=lambda i: len(learned[i][1]))
        for first in range(0, len(group), _PAGES_AT_ONCE):
            yield _batch([learned[i] for i in group[first : first + _PAGES_AT_ONCE]])


def _batch(pages: Sequence[tuple[PreparedPage, Floats]]) -> Batch:
    longest, width = max(len(inputs) for _, inputs in pages), pages[0][1].shape[1]
    arrays = [np.zeros((len(pages), longest, width), np.float32)]
    arrays += [np.zeros((len(pages), longest), np.float32) for _ in range(3)]
    for row, (page, inputs) in enumerate(pages):
        parts = (inputs, page.labels, page.counted, np.ones(len(inputs), np.float32))
        for array, part in zip(arrays, parts, strict=True):
            array[row, : len(inputs)] = part[: len(inputs)]
    return Batch(*map(torch.from_numpy, arrays))


def net_weights(net: TrainedNet) -> dict[str, Floats]:
    """By the names and in the shapes that `BlockNet` has."""
    arrays = {name: value.detach().numpy() for name, value in net.named_parameters()}
    return {
        "input": arrays["input.weight"].T,
        "input_bias": arrays["input.bias"],
        "near": arrays["near.weight"].transpose(2, 1, 0),
        "near_bias": arrays["near.bias"],
        "wide": arrays["wide.weight"].transpose(2, 1, 0),
        "wide_bias": arrays["wide.bias"],
        "page": arrays["page.weight"].T,
        "page_bias": arrays["page.bias"],
        "output": arrays["output.weight"][0],
        "output_bias": arrays["output.bias"][0],
    }

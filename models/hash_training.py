"""Learning the hash head: HASH-RAG's asymmetric loss with discrete code updates.

For m queries with real-valued codes V~ = tanh(beta (W x + b)), n units with codes H in {-1, +1}
and similarity S (m, n):

    L = || V~ H^T - l S ||^2 + gamma || H[source] - V~ ||^2        l bits

The two sides are improved in turn: the head by gradient with H fixed, then H column by column with
the head fixed. Each column has a closed form, so a sweep never raises L. `beta` follows the
continuation sqrt(0.1 step + 1). Loss and update are HASH-RAG's (equations 4 to 9), with these
corrections: gradients come from autograd (the printed one lacks a factor beta); negatives count
-r with r = #positive / #negative, as in ADSH; and pairs are taken in blocks. Over all pairs at once
the squares of the negatives outweigh the positives as soon as n exceeds l, and the loss is lowest
where all codes vanish (measured in docs/log.md).

A block holds each unit once. Its queries are the questions and the units themselves, because the
head has to code units as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from models.hash_head import Floats, HashHead

Tensor = torch.Tensor
Rows = npt.NDArray[np.int64]
_QUERIES_PER_BATCH = 1024


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """`gamma` weighs quantisation; a round is one pass over all blocks of `block` pairs, then one
    sweep of their codes."""

    bits: int = 384
    gamma: float = 100.0
    block: int = 128
    rounds: int = 5
    learning_rate: float = 1e-3
    seed: int = 17


@dataclass(frozen=True, slots=True)
class Pairs:
    """`queries` and `units`, both (n, dimension) of unit length: unit i answers query i."""

    queries: Floats
    units: Floats

    def __len__(self) -> int:
        return len(self.queries)

    def take(self, rows: Rows) -> Pairs:
        return Pairs(self.queries[rows], self.units[rows])


def beta(step: int) -> float:
    """Sharpness of the tanh at a gradient step."""
    return float(np.sqrt(0.1 * step + 1.0))


def block_similarity(units: int) -> Tensor:
    """S of a block, shape (2 units, units): the questions, then the units as their own queries."""
    ratio = 1.0 / (units - 1) if units > 1 else 0.0
    square = torch.eye(units) * (1.0 + ratio) - ratio
    return torch.cat([square, square])


def asymmetric_loss(
    surrogate: Tensor, codes: Tensor, similarity: Tensor, source: Tensor, gamma: float
) -> Tensor:
    """L above. `surrogate` V~ (m, l), `codes` H (n, l), `similarity` S (m, n), `source` (m,) the
    row of each query's unit."""
    bits = codes.shape[1]
    fit = ((surrogate @ codes.T - bits * similarity) ** 2).sum()
    return fit + gamma * ((codes[source] - surrogate) ** 2).sum()


def sweep_codes(
    surrogate: Tensor, codes: Tensor, similarity: Tensor, source: Tensor, gamma: float
) -> Tensor:
    """One discrete sweep over the columns of H; never raises the loss, `sign(0)` keeps the bit.

    H[:,k] = -sign(2 H_k V_k^T V~[:,k] + Q[:,k]) with Q = -2 l S^T V~ - 2 gamma V_bar, where H_k and
    V_k leave out column k and V_bar sums the V~ of each unit's queries.
    """
    bits = codes.shape[1]
    own = torch.zeros_like(codes).index_add_(0, source, surrogate)
    q = -2.0 * bits * (similarity.T @ surrogate) - 2.0 * gamma * own
    gram = surrogate.T @ surrogate
    gram.fill_diagonal_(0.0)
    updated = codes.clone()
    for k in range(bits):
        direction = 2.0 * (updated @ gram[:, k]) + q[:, k]
        updated[:, k] = torch.where(direction == 0, updated[:, k], -torch.sign(direction))
    return updated


def random_rotation(bits: int, dimension: int, seed: int) -> Floats:
    """Shape (bits, dimension): blocks of random rotations, so bits are spread over all directions.

    This is where training starts; its signs are the usual random-hyperplane codes.
    """
    generator = np.random.default_rng(seed)
    blocks = []
    for start in range(0, bits, dimension):
        rotation, _ = np.linalg.qr(generator.standard_normal((dimension, dimension)))
        blocks.append(rotation[: min(dimension, bits - start)])
    return np.concatenate(blocks).astype(np.float32)


def initial_head(pairs: Pairs, config: TrainingConfig, encoder: str) -> HashHead:
    """A rotation around the units' mean, scaled so that values have a spread of about one."""
    dimension = pairs.units.shape[1]
    weight = random_rotation(config.bits, dimension, config.seed) * np.float32(np.sqrt(dimension))
    bias = -(weight @ pairs.units.mean(axis=0))
    return HashHead.symmetric(weight, bias.astype(np.float32), encoder, len(pairs))


def train(pairs: Pairs, config: TrainingConfig, encoder: str) -> Iterator[tuple[HashHead, float]]:
    """Yield the head after each round with the mean loss of a block; the initial head comes first,
    with the loss it starts from.

    Deterministic for equal pairs and configuration on one machine.
    """
    torch.manual_seed(config.seed)
    shuffle = np.random.default_rng(config.seed)
    head = initial_head(pairs, config, encoder)
    weight = torch.tensor(head.units.weight, requires_grad=True)
    bias = torch.tensor(head.units.bias, requires_grad=True)
    optimiser = torch.optim.Adam([weight, bias], lr=config.learning_rate)
    queries, units = torch.from_numpy(pairs.queries), torch.from_numpy(pairs.units)
    codes = torch.where(torch.from_numpy(head.units(pairs.units)) > 0, 1.0, -1.0)
    step = 0

    def surrogate(rows: Tensor) -> Tensor:
        vectors = torch.cat([queries[rows], units[rows]])
        return torch.tanh(beta(step) * (vectors @ weight.T + bias))

    def blocks() -> list[Tensor]:
        count = max(1, len(pairs) // config.block)
        return [torch.from_numpy(b) for b in np.array_split(shuffle.permutation(len(pairs)), count)]

    def block_loss(rows: Tensor) -> Tensor:
        similarity, source = block_similarity(len(rows)), torch.arange(len(rows)).repeat(2)
        return asymmetric_loss(surrogate(rows), codes[rows], similarity, source, config.gamma)

    with torch.no_grad():
        yield head, float(np.mean([float(block_loss(rows)) for rows in blocks()]))
    for _ in range(config.rounds):
        losses = []
        partition = blocks()
        for rows in partition:
            step += 1
            loss = block_loss(rows)
            losses.append(float(loss.detach()))
            optimiser.zero_grad()
            (loss / (2 * len(rows) * config.bits**2)).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        with torch.no_grad():
            for rows in partition:
                similarity, source = block_similarity(len(rows)), torch.arange(len(rows)).repeat(2)
                codes[rows] = sweep_codes(
                    surrogate(rows), codes[rows], similarity, source, config.gamma
                )
        trained = weight.detach().numpy().copy(), bias.detach().numpy().copy()
        yield HashHead.symmetric(*trained, encoder, len(pairs)), float(np.mean(losses))


def reciprocal_rank(head: HashHead, queries: Floats, units: Floats, source: Rows) -> float:
    """Mean of 1 / rank of each query's unit, by float query against the codes of all units."""
    signs = np.where(head.units(units) > 0, 1.0, -1.0).astype(np.float32)
    total = 0.0
    for start in range(0, len(source), _QUERIES_PER_BATCH):
        rows = slice(start, start + _QUERIES_PER_BATCH)
        scores = head.queries(queries[rows]) @ signs.T
        own = np.take_along_axis(scores, source[rows, None], axis=1)
        # Ties and values that are no numbers count against the head.
        total += float(np.sum(1.0 / np.sum(~(scores < own), axis=1)))
    return total / max(1, len(source))


def learn_head(pairs: Pairs, config: TrainingConfig, encoder: str) -> tuple[HashHead, list[float]]:
    """The head of the round that ranks the units of held-out queries best, and the losses.

    One pair in eight is held out, so training does not end worse than the rotation it starts from.
    """
    shuffled = np.random.default_rng(config.seed).permutation(len(pairs))
    held_out, fitted = np.split(shuffled, [max(1, len(shuffled) // 8)])
    if len(fitted) == 0:
        return initial_head(pairs, config, encoder), []
    best_score, best_head = -1.0, None
    losses = []
    for head, loss in train(pairs.take(fitted), config, encoder):
        losses.append(loss)
        score = reciprocal_rank(head, pairs.queries[held_out], pairs.units, held_out)
        if score > best_score:
            best_score, best_head = score, head
    assert best_head is not None  # train yields at least the initial head
    return best_head, losses

"""Selects the training round whose head ranks the units of held-out queries best.

Knows nothing of how heads are trained (models/codes/hash_training.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from factmill.models.arrays import Floats
from factmill.models.codes.hash_config import TrainingConfig
from factmill.models.codes.hash_examples import Examples, Rows
from factmill.models.codes.hash_head import HashHead
from factmill.models.codes.hash_initialisation import initial_head
from factmill.models.codes.hash_training import train
from factmill.models.encoding.reciprocal_ranks import sum_of_reciprocal_ranks

_QUERIES_AT_ONCE = 1024
# One query in this many is held out, and about _MAX_HELD_OUT at most.
_ONE_HELD_OUT_IN, _MAX_HELD_OUT = 8, 2000
# The number of units among which held-out queries rank their sources: codes of all units would take
# longer than the training.
_UNITS_RANKED = 8_000


@dataclass(frozen=True, slots=True)
class Learned:
    """The selected head, the mean reciprocal rank of held-out queries with it and with the
    encoder's own vectors, and the losses of all rounds.
    """

    head: HashHead
    reciprocal_rank: float
    float_reciprocal_rank: float
    losses: list[float] = field(default_factory=list)
    sweeps: list[tuple[float, float]] = field(default_factory=list)


def learn_head(
    examples: Examples, config: TrainingConfig, encoder: str, device: str = "cpu"
) -> Learned:
    """Train a head and return that of the best round.

    One query in eight is held out, with all of its sources, so the result is never worse than the
    initial rotation, which a corpus without queries gets.
    """
    held_out, fitted = split_queries(examples.queries, config.seed)
    rotation = initial_head(examples.units, config, encoder)
    queries, of_queries = examples.queries[held_out], examples.source[held_out]
    others = np.random.default_rng(config.seed).permutation(len(examples.units))[:_UNITS_RANKED]
    ranked = np.union1d(of_queries, others)
    units, source = examples.units[ranked], np.searchsorted(ranked, of_queries)
    by_floats = reciprocal_rank(queries, units, source)
    best = rotation
    best_score = reciprocal_rank(rotation.queries(queries), rotation.signs(units), source)
    losses: list[float] = []
    sweeps: list[tuple[float, float]] = []
    if len(fitted):
        for made in train(examples.take(fitted), config, encoder, device):
            if losses or not np.isnan(made.loss):
                losses.append(made.loss)
                sweeps.append((made.before_sweep, made.after_sweep))
            score = reciprocal_rank(made.head.queries(queries), made.head.signs(units), source)
            if score > best_score:
                best, best_score = made.head, score
    return Learned(best, best_score, by_floats, losses, sweeps)


def split_queries(queries: Floats, seed: int) -> tuple[Rows, Rows]:
    """Rows held out, about 2,000 at most, and rows to train on; equal queries are on one side."""
    raw = np.ascontiguousarray(queries).view(
        np.dtype((np.void, queries.itemsize * queries.shape[1]))
    )
    distinct, number = np.unique(raw.ravel(), return_inverse=True)
    shuffled = np.random.default_rng(seed).permutation(len(distinct))
    count = min(
        len(distinct) // _ONE_HELD_OUT_IN, _MAX_HELD_OUT * len(distinct) // max(1, len(queries))
    )
    apart = np.isin(number, shuffled[: max(1, count)])
    return np.flatnonzero(apart), np.flatnonzero(~apart)


def reciprocal_rank(queries: Floats, units: Floats, source: Rows) -> float:
    """Mean of 1 / rank of each query's unit by inner product, queries (m, l), units (n, l)."""
    total = 0.0
    for start in range(0, len(source), _QUERIES_AT_ONCE):
        rows = slice(start, start + _QUERIES_AT_ONCE)
        total += sum_of_reciprocal_ranks(queries[rows] @ units.T, source[rows])
    return total / max(1, len(source))

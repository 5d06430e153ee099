"""Selects the training round whose head ranks the units of held-out queries best.

Knows nothing of how heads are trained (models/codes/hash_training.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from factmill.models.arrays import Doubles, Floats
from factmill.models.codes.hash_config import TrainingConfig
from factmill.models.codes.hash_examples import Examples, Rows
from factmill.models.codes.hash_head import HashHead
from factmill.models.codes.hash_initialisation import initial_head
from factmill.models.codes.hash_training import train
from factmill.models.encoding.reciprocal_ranks import reciprocal_ranks

_QUERIES_AT_ONCE = 1024
# One query in this many is held out, and about _MAX_HELD_OUT at most.
_ONE_HELD_OUT_IN, _MAX_HELD_OUT = 8, 2000
# The number of units among which held-out queries rank their sources: codes of all units would take
# longer than the training.
_UNITS_RANKED = 8_000
# By how many standard errors the rotation must rank held-out queries better than learned codes.
_CLEARLY = 2.0


@dataclass(frozen=True, slots=True)
class Learned:
    """The selected head, the mean reciprocal rank of held-out queries with it and with the
    encoder's own vectors, and of each round the mean loss and the losses of its codes before and
    after their sweep.
    """

    head: HashHead
    reciprocal_rank: float
    float_reciprocal_rank: float
    losses: list[float] = field(default_factory=list)
    sweeps: list[tuple[float, float]] = field(default_factory=list)


def learn_head(
    examples: Examples, config: TrainingConfig, encoder: str, device: str = "cpu"
) -> Learned:
    """Train a head and return that of the best round by held-out queries: one in eight, with all of
    its sources.

    The initial rotation, which a corpus without queries gets, must be clearly better: its codes are
    further from the vectors, and few held-out queries prefer it by chance.
    """
    held_out, fitted = split_queries(examples.queries, config.seed)
    rotation = initial_head(examples.units, config, encoder)
    queries, of_queries = examples.queries[held_out], examples.source[held_out]
    others = np.random.default_rng(config.seed).permutation(len(examples.units))[:_UNITS_RANKED]
    ranked = np.union1d(of_queries, others)
    units, source = examples.units[ranked], np.searchsorted(ranked, of_queries)
    by_floats = reciprocal_rank(queries, units, source)
    first = _ranks(rotation.queries(queries), rotation.signs(units), source)
    best, best_ranks = rotation, first
    losses: list[float] = []
    sweeps: list[tuple[float, float]] = []
    if len(fitted):
        for made in train(examples.take(fitted), config, encoder, device):
            if losses or not np.isnan(made.loss):
                losses.append(made.loss)
                sweeps.append((made.before_sweep, made.after_sweep))
            ranks = _ranks(made.head.queries(queries), made.head.signs(units), source)
            if best is rotation or ranks.mean() > best_ranks.mean():
                best, best_ranks = made.head, ranks
        if _clearly_higher(first, best_ranks):
            best, best_ranks = rotation, first
    return Learned(best, _mean(best_ranks), by_floats, losses, sweeps)


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
    return _mean(_ranks(queries, units, source))


def _ranks(queries: Floats, units: Floats, source: Rows) -> Doubles:
    ranks = np.empty(len(source))
    for start in range(0, len(source), _QUERIES_AT_ONCE):
        rows = slice(start, start + _QUERIES_AT_ONCE)
        ranks[rows] = reciprocal_ranks(queries[rows] @ units.T, source[rows])
    return ranks


def _mean(ranks: Doubles) -> float:
    return float(ranks.sum()) / max(1, len(ranks))


def _clearly_higher(ranks: Doubles, others: Doubles) -> bool:
    """Whether the mean of `ranks` is higher by more than chance explains."""
    more = ranks - others
    if len(more) < 2:
        return False
    return bool(more.mean() > _CLEARLY * more.std(ddof=1) / np.sqrt(len(more)))

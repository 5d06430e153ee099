"""Made-up vectors and examples that the tests of the hash head's learning share."""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Doubles, Floats
from factmill.models.codes.hard_negatives import hard_negatives
from factmill.models.codes.hash_config import TrainingConfig
from factmill.models.codes.hash_examples import Examples
from factmill.models.codes.hash_head import HashHead

ENCODER = "encoder-of-the-test"
CONFIG = TrainingConfig(
    learning_rate=0.01,
    asymmetric=0.05,
    candidates=1.0,
    bits=32,
    block=64,
    negatives=2,
    rounds=4,
    decoder_rounds=4,
    seed=3,
)
TINY = TrainingConfig(bits=16, block=8, negatives=2, rounds=2, decoder_rounds=2)


def unit_rows(matrix: Doubles) -> Floats:
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


def low_rank_vectors(count: int, dimension: int, seed: int) -> Floats:
    """Unit vectors with most of their length in a few directions, as those of encoders."""
    generator = np.random.default_rng(seed)
    spread = np.exp(-np.arange(dimension) / (dimension / 8))
    turn, _ = np.linalg.qr(generator.standard_normal((dimension, dimension)))
    return unit_rows((generator.standard_normal((count, dimension)) * spread) @ turn)


def clustered_examples(
    count: int = 240, dimension: int = 16, pages: int = 60, seed: int = 0
) -> Examples:
    """Units of one page are near to one another; a query is its unit, turned as questions are."""
    generator = np.random.default_rng(seed)
    groups = np.arange(count) % pages
    centres = low_rank_vectors(pages, dimension, seed)[groups]
    units = unit_rows(centres + 0.25 * low_rank_vectors(count, dimension, seed + 1))
    turn = np.eye(dimension) + 0.2 * generator.standard_normal((dimension, dimension))
    queries = unit_rows((units + 0.1 * generator.standard_normal((count, dimension))) @ turn)
    negatives = hard_negatives(queries, units, groups, groups, 3)
    return Examples(units, groups, queries, np.arange(count), negatives)


def numbers(head: HashHead) -> list[Floats]:
    assert head.decoder is not None
    return [
        head.units.weight,
        head.units.bias,
        head.queries.weight,
        head.queries.bias,
        head.decoder.weight,
        head.decoder.mean,
    ]


def assert_finite(head: HashHead) -> None:
    for values in (head.units, head.queries):
        assert np.isfinite(values.weight).all()
        assert np.isfinite(values.bias).all()
    if head.decoder:
        assert np.isfinite(head.decoder.weight).all()
        assert np.isfinite(head.decoder.mean).all()

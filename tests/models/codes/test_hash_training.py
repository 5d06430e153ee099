"""Training round by round: its losses and sweeps are those of the head it starts from.

The losses and sweeps have tests of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from factmill.models.arrays import Floats
from factmill.models.codes.code_sweeps import code_errors, sweep_codes
from factmill.models.codes.hash_config import TrainingConfig
from factmill.models.codes.hash_examples import Examples
from factmill.models.codes.hash_head import HashHead
from factmill.models.codes.hash_initialisation import fit_codes
from factmill.models.codes.hash_losses import (
    asymmetric_loss,
    asymmetric_terms,
    beta,
    candidate_loss,
    preservation_loss,
    ranking_loss,
    source_similarity,
)
from factmill.models.codes.hash_training import Round, train
from tests.models.codes.made_examples import (
    CONFIG,
    ENCODER,
    TINY,
    assert_finite,
    clustered_examples,
    low_rank_vectors,
    numbers,
    unit_rows,
)


def test_examples_taken_rows_keep_query_source_and_negatives_together() -> None:
    examples = clustered_examples(12, pages=4)
    taken = examples.take(np.array([7, 2]))
    assert len(taken) == 2
    np.testing.assert_array_equal(taken.queries, examples.queries[[7, 2]])
    np.testing.assert_array_equal(taken.source, [7, 2])
    np.testing.assert_array_equal(taken.negatives, examples.negatives[[7, 2]])
    np.testing.assert_array_equal(taken.units, examples.units)
    np.testing.assert_array_equal(taken.groups, examples.groups)


def one_block(rate: float = 0.0) -> tuple[Examples, TrainingConfig]:
    """A round of one gradient step, in which every unit takes part; with a rate of 0 projections
    stay, so that the test sees all that enters the losses."""
    examples = clustered_examples(24, dimension=8, pages=6)
    negatives = np.roll(np.arange(24), 5)[:, None]
    examples = replace(examples, negatives=negatives)
    return examples, replace(TINY, block=64, rounds=1, learning_rate=rate, negatives=1)


def surrogates(head: HashHead, examples: Examples, sharpness: float) -> torch.Tensor:
    """tanh of both projections, that of queries at a spread of one, queries before units."""
    queries = torch.from_numpy(head.queries(examples.queries))
    units = torch.from_numpy(head.units(examples.units))
    return torch.tanh(sharpness * torch.cat([queries / queries.std(), units]))


@pytest.mark.parametrize(
    "weights",
    [(1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0),
     (0.5, 2.0, 3.0, 0.25)],
    ids=["ranking", "candidates", "preservation", "asymmetric", "all"],
)  # fmt: skip
def test_train_one_block_reports_the_weighted_losses_of_the_head_it_starts_from(
    weights: tuple[float, float, float, float],
) -> None:
    examples, config = one_block()
    ranking, candidates, preservation, asymmetric = weights
    config = replace(
        config,
        ranking=ranking,
        candidates=candidates,
        preservation=preservation,
        asymmetric=asymmetric,
        gamma=3.0,
    )
    first, second = train(examples, config, ENCODER)
    head, (_, codes) = first.head, fit_codes(examples.units, config, ENCODER)
    # The order of the queries does not matter to a block, which has all of them and all units.
    every = torch.arange(24)
    groups = torch.from_numpy(examples.groups)
    ignored = (groups[None, :] == groups[:, None]) & ~torch.eye(24, dtype=torch.bool)
    h = torch.from_numpy(codes)
    scores = torch.from_numpy(head.queries(examples.queries)) @ h.T
    cosines = torch.from_numpy(examples.queries @ examples.units.T)
    values = surrogates(head, examples, 1.0)
    source = torch.cat([every, every])
    hashed = asymmetric_loss(values, h, source_similarity(source, 24), source, 3.0)
    expected = (
        ranking * ranking_loss(scores, every, ignored, config.temperature)
        + candidates * candidate_loss(values[:24], h, every, ignored)
        + preservation * preservation_loss(scores, cosines, config.temperature)
        + asymmetric * hashed / (48 * config.bits**2)
    )
    assert math.isnan(first.loss)
    assert second.loss == pytest.approx(float(expected), rel=1e-4)
    # Nothing was learned: the projections are those that fitting the codes gave.
    np.testing.assert_allclose(second.head.queries.weight, head.queries.weight, rtol=1e-5)
    np.testing.assert_array_equal(second.head.units.weight, head.units.weight)


@pytest.mark.parametrize("gamma", [1.0, 500.0])
def test_train_one_block_sweeps_on_the_decoder_and_the_asymmetric_loss_together(
    gamma: float,
) -> None:
    examples, config = one_block()
    config = replace(config, gamma=gamma)
    first, second = train(examples, config, ENCODER)
    head, codes = fit_codes(examples.units, config, ENCODER)
    assert head.decoder is not None
    source = torch.arange(24).repeat(2)
    # After one gradient step; the rate of 0 left the projections where they were.
    values = surrogates(head, examples, beta(1))
    gram, linear = asymmetric_terms(values, source_similarity(source, 24), source, gamma)
    weight = np.float32(config.asymmetric / config.bits**2)
    third, pull = weight * gram.numpy(), weight * linear.numpy()
    centred, decoder = examples.units - head.decoder.mean, head.decoder.weight

    def loss(codes: Floats) -> float:
        errors = code_errors(centred, codes, decoder).astype(np.float64)
        return sum(
            float(error + h @ third @ h - 2 * h @ b)
            for error, h, b in zip(errors, codes, pull, strict=True)
        )

    swept = sweep_codes(centred, codes, decoder, gram=third, linear=pull)
    assert second.before_sweep == pytest.approx(loss(codes), rel=1e-4)
    assert second.after_sweep == pytest.approx(loss(swept), rel=1e-4)
    assert second.after_sweep < second.before_sweep
    # The decoder is then fitted to the codes that were swept.
    assert second.head.decoder is not None
    errors = code_errors(centred, swept, second.head.decoder.weight)
    assert errors.mean() < code_errors(centred, swept, decoder).mean()
    assert (first.before_sweep, first.after_sweep) == (0.0, 0.0)


@pytest.mark.parametrize("gamma", [1.0, 500.0])
@pytest.mark.parametrize("seed", range(3))
def test_train_sweeps_never_raise_their_loss_and_codes_move(gamma: float, seed: int) -> None:
    generator = np.random.default_rng(seed)
    units = low_rank_vectors(50, 12, seed)
    source = generator.integers(0, 50, 90)  # some units have no query, others several
    queries = unit_rows(units[source] + 0.2 * generator.standard_normal((90, 12)))
    negatives = generator.integers(-1, 50, (90, 4))
    examples = Examples(units, np.arange(50) // 3, queries, source, negatives)
    config = replace(TINY, bits=24, block=20, rounds=3, gamma=gamma, seed=seed)
    _, *rounds = train(examples, config, ENCODER)
    assert len(rounds) == 3
    for made in rounds:
        assert made.after_sweep <= made.before_sweep + 1e-5 * abs(made.before_sweep)
        assert_finite(made.head)
    assert any(made.after_sweep < made.before_sweep for made in rounds)


def test_train_rounds_give_one_head_each_after_that_of_the_fitted_codes() -> None:
    examples = clustered_examples(40, pages=10)
    config = replace(TINY, decoder_units=24)
    made = list(train(examples, config, ENCODER))
    assert len(made) == 1 + config.rounds
    assert [one.head.trained_on for one in made] == [24, 40, 40]
    for index, values in enumerate(zip(*(numbers(one.head) for one in made), strict=True)):
        distinct = {part.tobytes() for part in values}
        assert len(distinct) == (1 if index == 5 else 3)  # the mean stays


def test_train_units_of_the_page_of_the_source_are_not_held_against_a_query() -> None:
    examples = clustered_examples(32, pages=8)
    config = replace(TINY, block=1, asymmetric=0.0, preservation=0.0, negatives=1)
    moved = []
    for distance in (8, 1):  # to a unit of the same page, to one of the next
        negatives = ((np.arange(32) + distance) % 32)[:, None]
        case = replace(examples, negatives=negatives).take(np.arange(6))
        first, *_, trained = (made.head.queries.weight for made in train(case, config, ENCODER))
        moved.append(float(abs(trained - first).max()))
    assert moved[0] < 1e-6
    assert moved[1] > 1e-4


@pytest.mark.parametrize("column", [0, 1])
def test_train_draws_negatives_from_every_column(column: int) -> None:
    negatives = np.full((32, 2), -1)
    negatives[:, column] = (np.arange(32) + 1) % 32
    case = replace(clustered_examples(32, pages=8), negatives=negatives).take(np.arange(6))
    config = replace(TINY, block=1, asymmetric=0.0, preservation=0.0, negatives=1)
    first, *_, trained = (made.head.queries.weight for made in train(case, config, ENCODER))
    assert abs(trained - first).max() > 1e-4


def test_train_ranking_alone_falls_over_the_rounds() -> None:
    config = replace(CONFIG, asymmetric=0.0, candidates=0.0, preservation=0.0)
    _, *rounds = train(clustered_examples(), config, ENCODER)
    assert rounds[-1].loss < 0.9 * rounds[0].loss


def last(rounds: Iterator[Round]) -> HashHead:
    return list(rounds)[-1].head


def test_train_steps_bound_the_blocks_of_a_round() -> None:
    examples = clustered_examples(40, pages=10)
    few, more, all_blocks = (
        last(train(examples, replace(TINY, rounds=1, steps=steps), ENCODER)).queries.weight
        for steps in (1, 5, 400)
    )
    np.testing.assert_array_equal(more, all_blocks)
    assert not np.array_equal(few, more)


def test_train_rate_falls_over_the_steps_of_all_rounds() -> None:
    examples, config = one_block(rate=0.01)
    made = train(examples, replace(config, rounds=2, asymmetric=1.0), ENCODER)
    weights = [one.head.units.weight for one in made]
    # A step of Adam moves no weight further than the rate, and some almost as far.
    first, second = (float(abs(after - before).max()) for before, after in pairwise(weights))
    assert first == pytest.approx(0.01, rel=1e-2)
    assert second == pytest.approx(0.005, rel=5e-2)  # half a cosine, half-way

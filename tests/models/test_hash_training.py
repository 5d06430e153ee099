"""Learning the hash head: that it learns, equally each time, and that its parts fit together.

The losses and sweeps it is made of have tests of their own.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
import torch

from models.code_sweeps import code_errors, sweep_codes
from models.hard_negatives import hard_negatives
from models.hash_head import Floats, HashHead
from models.hash_losses import (
    asymmetric_loss,
    asymmetric_terms,
    beta,
    candidate_loss,
    preservation_loss,
    ranking_loss,
    source_similarity,
)
from models.hash_training import (
    Examples,
    Learned,
    Round,
    TrainingConfig,
    fit_codes,
    initial_head,
    learn_head,
    random_rotation,
    reciprocal_rank,
    split_queries,
    train,
)

Rows = npt.NDArray[np.int64]
ENCODER = "encoder-of-the-test"


def unit_rows(matrix: npt.NDArray[np.float64]) -> Floats:
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


@pytest.mark.parametrize(("bits", "dimension"), [(8, 8), (8, 20), (40, 16)])
def test_random_rotation_rows_of_a_block_are_orthonormal(bits: int, dimension: int) -> None:
    rotation = random_rotation(bits, dimension, seed=4)
    assert rotation.shape == (bits, dimension)
    assert rotation.dtype == np.float32
    for start in range(0, bits, dimension):
        block = rotation[start : start + dimension].astype(np.float64)
        np.testing.assert_allclose(block @ block.T, np.eye(len(block)), atol=1e-6)


def test_random_rotation_more_bits_than_dimensions_repeats_no_row() -> None:
    rotation = random_rotation(48, 16, seed=4)
    assert len({row.tobytes() for row in rotation}) == 48


def test_random_rotation_seed_decides() -> None:
    np.testing.assert_array_equal(random_rotation(8, 8, 1), random_rotation(8, 8, 1))
    assert not np.array_equal(random_rotation(8, 8, 1), random_rotation(8, 8, 2))


def test_examples_taken_rows_keep_query_source_and_negatives_together() -> None:
    examples = clustered_examples(12, pages=4)
    taken = examples.take(np.array([7, 2]))
    assert len(taken) == 2
    np.testing.assert_array_equal(taken.queries, examples.queries[[7, 2]])
    np.testing.assert_array_equal(taken.source, [7, 2])
    np.testing.assert_array_equal(taken.negatives, examples.negatives[[7, 2]])
    np.testing.assert_array_equal(taken.units, examples.units)
    np.testing.assert_array_equal(taken.groups, examples.groups)


def scores_and_cosines(head: HashHead, codes: Floats, units: Floats) -> tuple[Floats, Floats]:
    """<v, h> and <q, x> of 200 of the units as queries, flat; not of a unit with itself."""
    others = ~np.eye(200, len(units), dtype=bool)
    scores, cosines = head.queries(units[:200]) @ codes.T, units[:200] @ units.T
    return scores[others], cosines[others]


@pytest.mark.parametrize("bits", [16, 32])
def test_initial_head_scores_are_the_best_multiple_for_the_cosines_of_random_vectors(
    bits: int,
) -> None:
    generator = np.random.default_rng(1)
    units = unit_rows(generator.standard_normal((2000, 32)))
    head = initial_head(units, replace(CONFIG, bits=bits), ENCODER)
    scores, cosines = scores_and_cosines(head, head.signs(units), units)
    # A cosine is on average the score: the slope of cosines against scores, through the origin.
    assert float(scores @ cosines / (scores @ scores)) == pytest.approx(1.0, abs=0.06)
    # The other way about signs keep 2 / pi of the length in the directions that have a bit.
    kept = 2 / math.pi * bits / 32
    assert float(scores @ cosines / (cosines @ cosines)) == pytest.approx(kept, abs=0.06)
    assert (head.encoder, head.trained_on, head.bits, head.decoder) == (ENCODER, 0, bits, None)


def test_initial_head_begins_codes_around_the_mean_of_the_units() -> None:
    units = unit_rows(np.random.default_rng(2).standard_normal((500, 16)) * 0.3 + 1.0)
    head = initial_head(units, CONFIG, ENCODER)
    np.testing.assert_allclose(head.units(units).mean(axis=0), np.zeros(32), atol=1e-5)
    assert not head.queries.bias.any()


@pytest.mark.parametrize(("bits", "bound"), [(32, 0.9), (64, 0.95)])
def test_fit_codes_scores_are_near_cosines_and_nearer_than_those_of_a_rotation(
    bits: int, bound: float
) -> None:
    units = low_rank_vectors(600, 32, seed=5)
    config = replace(CONFIG, bits=bits, decoder_rounds=8)
    head, codes = fit_codes(units, config, ENCODER)
    assert codes.shape == (600, bits)
    assert set(np.unique(codes).tolist()) == {-1.0, 1.0}
    assert (head.encoder, head.trained_on) == (ENCODER, 600)
    rotation = initial_head(units, config, ENCODER)

    def closeness(head: HashHead, codes: Floats) -> float:
        return float(np.corrcoef(*scores_and_cosines(head, codes, units))[0, 1])

    by_rotation = closeness(rotation, rotation.signs(units))
    fitted, encoded = closeness(head, codes), closeness(head, head.signs(units))
    assert fitted > bound
    assert 1 - fitted < 0.6 * (1 - by_rotation)
    # Units never seen get codes as good: those of the head, which knows no fitted codes.
    assert encoded > bound
    unseen = low_rank_vectors(600, 32, seed=5)[300:]
    halved, _ = fit_codes(units[:300], config, ENCODER)
    assert closeness(halved, halved.signs(units)) > bound - 0.03
    assert len(np.unique(halved.codes(unseen), axis=0)) > 290


def test_fit_codes_more_rounds_lower_what_the_sweeps_lower() -> None:
    units = low_rank_vectors(300, 16, seed=6)
    errors = []
    for rounds in (0, 1, 2, 4):
        head, codes = fit_codes(units, replace(CONFIG, decoder_rounds=rounds), ENCODER)
        assert head.decoder is not None
        np.testing.assert_allclose(head.decoder.mean, units.mean(axis=0), atol=1e-6)
        centred = units - head.decoder.mean
        errors.append(float(code_errors(centred, codes, head.decoder.weight).mean()))
    assert all(later < earlier for earlier, later in pairwise(errors))


def rank_by_sorting(queries: Floats, units: Floats, source: Rows) -> float:
    total = 0.0
    for query, own in zip(queries.astype(np.float64), source.tolist(), strict=True):
        scores = [float(query @ unit) for unit in units.astype(np.float64)]
        total += 1.0 / (1 + sorted(range(len(units)), key=lambda row: -scores[row]).index(own))
    return total / len(source)


@pytest.mark.parametrize("queries", [5, 1023, 1024, 1100])
def test_reciprocal_rank_any_number_of_queries_equals_sorting(queries: int) -> None:
    generator = np.random.default_rng(queries)
    units = generator.standard_normal((12, 4)).astype(np.float32)
    source = generator.integers(0, 12, queries)
    asked = (units[source] + generator.standard_normal((queries, 4))).astype(np.float32)
    got = reciprocal_rank(asked, units, source)
    assert got == pytest.approx(rank_by_sorting(asked, units, source))
    assert 0.2 < got < 1.0


def test_reciprocal_rank_of_no_queries_is_zero() -> None:
    none = np.empty((0, 4), np.float32)
    assert reciprocal_rank(none, np.ones((3, 4), np.float32), np.empty(0, np.int64)) == 0.0


@pytest.mark.parametrize("value", [1.0, math.nan])
def test_reciprocal_rank_counts_ties_and_what_is_no_number_against_the_head(value: float) -> None:
    units = np.full((50, 4), value, np.float32)
    queries, source = np.ones((2, 4), np.float32), np.array([0, 7])
    assert reciprocal_rank(queries, units, source) == pytest.approx(1 / 50)


def one_block(rate: float = 0.0) -> tuple[Examples, TrainingConfig]:
    """A round of one gradient step, in which every unit takes part; with a rate of 0 projections
    stay, so that all that enters the losses is known from outside."""
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
    for place, values in enumerate(zip(*(numbers(one.head) for one in made), strict=True)):
        distinct = {part.tobytes() for part in values}
        assert len(distinct) == (1 if place == 5 else 3)  # the mean stays


def last(rounds: Iterator[Round]) -> HashHead:
    return list(rounds)[-1].head


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


def test_train_ranking_alone_falls_over_the_rounds() -> None:
    config = replace(CONFIG, asymmetric=0.0, candidates=0.0, preservation=0.0)
    _, *rounds = train(clustered_examples(), config, ENCODER)
    assert rounds[-1].loss < 0.9 * rounds[0].loss


def test_train_steps_bound_the_blocks_of_a_round() -> None:
    examples = clustered_examples(40, pages=10)
    few, more, all_blocks = (
        last(train(examples, replace(TINY, rounds=1, steps=steps), ENCODER)).queries.weight
        for steps in (1, 5, 400)
    )
    np.testing.assert_array_equal(more, all_blocks)
    assert not np.array_equal(few, more)


@cache
def learned() -> Learned:
    return learn_head(clustered_examples(), CONFIG, ENCODER)


def held_out(examples: Examples, seed: int) -> tuple[Rows, Rows]:
    return split_queries(examples.queries, seed)


def test_split_queries_keeps_equal_queries_together_and_an_eighth_apart() -> None:
    distinct = np.random.default_rng(1).standard_normal((80, 8)).astype(np.float32)
    number = np.random.default_rng(2).integers(0, 80, 400)
    apart, kept = split_queries(distinct[number], 5)
    assert sorted([*apart, *kept]) == list(range(400))
    assert not set(number[apart]) & set(number[kept])
    assert len(set(number[apart])) == len(set(number)) // 8
    assert split_queries(distinct[number], 5)[0].tolist() == apart.tolist()
    assert split_queries(distinct[number], 6)[0].tolist() != apart.tolist()


def test_split_queries_holds_out_two_thousand_rows_at_most() -> None:
    distinct = np.random.default_rng(1).standard_normal((30_000, 2)).astype(np.float32)
    assert len(split_queries(distinct, 1)[0]) == 2000
    twice = np.concatenate([distinct, distinct])
    assert len(split_queries(twice, 1)[0]) == 2000


def ranks_of_held_out(head: HashHead, examples: Examples, seed: int) -> float:
    rows, _ = held_out(examples, seed)
    asked, codes = head.queries(examples.queries[rows]), head.signs(examples.units)
    return reciprocal_rank(asked, codes, examples.source[rows])


def test_learn_head_equal_seed_gives_equal_bytes_and_another_seed_does_not() -> None:
    examples = clustered_examples(80, pages=20)
    first, again, other = (
        learn_head(examples, replace(TINY, seed=seed), ENCODER) for seed in (5, 5, 6)
    )

    def content(made: Learned) -> list[bytes]:
        sides = made.head.units, made.head.queries
        return [values.tobytes() for side in sides for values in (side.weight, side.bias)]

    assert content(first) == content(again)
    assert (first.losses, first.sweeps) == (again.losses, again.sweeps)
    assert content(first) != content(other)
    assert first.losses != other.losses


def test_learn_head_on_turned_queries_ranks_held_out_ones_better_than_rotation_and_chance() -> None:
    examples, made = clustered_examples(), learned()
    rotation = initial_head(examples.units, CONFIG, ENCODER)
    start = ranks_of_held_out(rotation, examples, CONFIG.seed)
    by_chance = sum(1 / rank for rank in range(1, 241)) / 240
    assert made.reciprocal_rank > 1.2 * start
    assert made.reciprocal_rank > 5 * by_chance
    assert (made.head.encoder, made.head.trained_on) == (ENCODER, 210)


def test_learn_head_reports_the_ranks_of_the_queries_it_held_out() -> None:
    examples, made = clustered_examples(), learned()
    rows, _ = held_out(examples, CONFIG.seed)
    assert made.reciprocal_rank == pytest.approx(
        ranks_of_held_out(made.head, examples, CONFIG.seed)
    )
    assert made.float_reciprocal_rank == pytest.approx(
        rank_by_sorting(examples.queries[rows], examples.units, examples.source[rows])
    )


def test_learn_head_chooses_the_best_of_all_rounds_by_held_out_queries_only() -> None:
    examples, made = clustered_examples(), learned()
    _, fitted = held_out(examples, CONFIG.seed)
    rounds = list(train(examples.take(fitted), CONFIG, ENCODER))
    ranks = [ranks_of_held_out(one.head, examples, CONFIG.seed) for one in rounds]
    assert made.reciprocal_rank == pytest.approx(max(ranks))
    chosen = rounds[int(np.argmax(ranks))].head
    assert [v.tobytes() for v in numbers(made.head)] == [v.tobytes() for v in numbers(chosen)]
    assert made.losses == [one.loss for one in rounds[1:]]
    assert made.sweeps == [(one.before_sweep, one.after_sweep) for one in rounds[1:]]


def test_learn_head_sweeps_never_raise_their_loss() -> None:
    made = learned()
    assert len(made.losses) == len(made.sweeps) == CONFIG.rounds
    for before, after in made.sweeps:
        assert after <= before + 1e-5 * abs(before)
    assert made.sweeps[0][1] < made.sweeps[0][0]


def test_learn_head_scores_stay_about_the_size_of_cosines() -> None:
    examples, made = clustered_examples(), learned()
    scores = made.head.queries(examples.queries) @ made.head.signs(examples.units).T
    assert 0.5 < float(scores.std() / (examples.queries @ examples.units.T).std()) < 2.0


@pytest.mark.parametrize("bits", [8, 24, 16, 32])
def test_learn_head_any_code_length_in_bytes(bits: int) -> None:
    examples = clustered_examples(64, dimension=16, pages=16)
    made = learn_head(examples, replace(TINY, bits=bits), ENCODER)
    assert (made.head.bits, made.head.dimension) == (bits, 16)
    assert made.head.codes(examples.units).shape == (64, bits // 8)
    assert len(made.losses) == TINY.rounds
    assert_finite(made.head)


def test_learn_head_of_one_example_holds_it_out_and_gives_the_rotation() -> None:
    examples = clustered_examples(6, pages=3).take(np.array([4]))
    made = learn_head(examples, TINY, ENCODER)
    rotation = initial_head(examples.units, TINY, ENCODER)
    np.testing.assert_array_equal(made.head.units.weight, rotation.units.weight)
    np.testing.assert_array_equal(made.head.queries.weight, rotation.queries.weight)
    assert made.head.trained_on == 0
    assert (made.losses, made.sweeps) == ([], [])


def test_learn_head_of_no_query_gives_the_rotation() -> None:
    examples = clustered_examples(6, pages=3).take(np.empty(0, np.int64))
    made = learn_head(examples, TINY, ENCODER)
    assert made.head.decoder is None
    assert (made.reciprocal_rank, made.float_reciprocal_rank, made.losses) == (0.0, 0.0, [])


@pytest.mark.parametrize("count", [2, 3, 9])
def test_learn_head_of_very_few_examples_is_finite(count: int) -> None:
    made = learn_head(clustered_examples(count, pages=count), TINY, ENCODER)
    assert_finite(made.head)
    assert np.isfinite(made.losses).all()
    assert len(made.losses) == TINY.rounds


def test_learn_head_of_two_queries_of_a_single_unit_is_finite() -> None:
    units, queries = low_rank_vectors(1, 8, seed=1), low_rank_vectors(2, 8, seed=2)
    examples = Examples(
        units, np.zeros(1, np.int64), queries, np.zeros(2, np.int64), np.full((2, 1), -1)
    )
    made = learn_head(examples, TINY, ENCODER)
    assert_finite(made.head)
    assert np.isfinite(made.losses).all()
    assert made.reciprocal_rank == 1.0


@pytest.mark.parametrize("columns", [0, 1, 5])
def test_learn_head_without_any_negative_is_finite(columns: int) -> None:
    examples = replace(clustered_examples(30, pages=10), negatives=np.full((30, columns), -1))
    made = learn_head(examples, TINY, ENCODER)
    assert_finite(made.head)
    assert np.isfinite(made.losses).all()


def test_learn_head_of_a_single_page_is_finite_and_no_worse_than_the_rotation() -> None:
    examples = clustered_examples(30, pages=1)
    assert (examples.negatives == -1).all()
    made = learn_head(examples, TINY, ENCODER)
    assert_finite(made.head)
    assert np.isfinite(made.losses).all()
    rotation = initial_head(examples.units, TINY, ENCODER)
    assert made.reciprocal_rank >= ranks_of_held_out(rotation, examples, TINY.seed)


@pytest.mark.parametrize("learning_rate", [0.0, 3.0, 1e30, math.inf])
def test_learn_head_at_any_learning_rate_ends_no_worse_than_it_starts(learning_rate: float) -> None:
    examples = clustered_examples(80, pages=20)
    made = learn_head(examples, replace(TINY, learning_rate=learning_rate), ENCODER)
    assert_finite(made.head)
    rotation = initial_head(examples.units, TINY, ENCODER)
    assert made.reciprocal_rank >= ranks_of_held_out(rotation, examples, TINY.seed) - 1e-9

"""Learning the hash head: loss and sweeps against loops over single bits, and that it learns."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from models.hash_head import Floats, HashHead
from models.hash_training import (
    Pairs,
    TrainingConfig,
    asymmetric_loss,
    beta,
    block_similarity,
    initial_head,
    learn_head,
    random_rotation,
    reciprocal_rank,
    sweep_codes,
    train,
)

Tensor = torch.Tensor
Rows = list[list[float]]
ENCODER = "encoder-of-the-test"


def loss_by_loops(
    surrogate: Rows, codes: Rows, similarity: Rows, source: list[int], gamma: float
) -> float:
    """sum_ij (v_i . h_j - l S_ij)^2 + gamma sum_i |h_source(i) - v_i|^2, one number at a time."""
    total = 0.0
    for i, v in enumerate(surrogate):
        for j, h in enumerate(codes):
            product = sum(a * b for a, b in zip(v, h, strict=True))
            total += (product - len(h) * similarity[i][j]) ** 2
        own = codes[source[i]]
        total += gamma * sum((a - b) ** 2 for a, b in zip(own, v, strict=True))
    return total


def similarity_by_loops(units: int) -> Rows:
    """+1 for a query's own unit; the others together weigh as much as that one, negatively."""
    return [
        [1.0 if query % units == unit else -1.0 / (units - 1) for unit in range(units)]
        for query in range(2 * units)
    ]


def problem(
    queries: int, units: int, bits: int, seed: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Surrogate, codes, similarity and source, all at random and in double precision."""
    generator = np.random.default_rng(seed)
    surrogate = torch.from_numpy(np.tanh(generator.standard_normal((queries, bits))))
    codes = torch.from_numpy(np.where(generator.random((units, bits)) > 0.5, 1.0, -1.0))
    similarity = torch.from_numpy(generator.uniform(-1, 1, (queries, units)))
    source = torch.from_numpy(generator.integers(0, units, queries))
    return surrogate, codes, similarity, source


_PROBLEMS = st.builds(
    problem, st.integers(1, 6), st.integers(1, 5), st.integers(1, 6), st.integers(0, 2**32 - 1)
)
_GAMMAS = st.sampled_from([0.0, 0.5, 3.0, 100.0])


@pytest.mark.parametrize(("step", "sharpness"), [(0, 1.0), (10, math.sqrt(2)), (240, 5.0)])
def test_beta_at_a_step_follows_the_continuation(step: int, sharpness: float) -> None:
    assert beta(step) == pytest.approx(sharpness)


@pytest.mark.parametrize("units", [2, 3, 7])
def test_block_similarity_several_units_equals_loops(units: int) -> None:
    similarity = block_similarity(units)
    torch.testing.assert_close(similarity, torch.tensor(similarity_by_loops(units)))
    torch.testing.assert_close(similarity.sum(dim=1), torch.zeros(2 * units))


def test_block_similarity_one_unit_has_no_negatives() -> None:
    assert block_similarity(1).tolist() == [[1.0], [1.0]]


@settings(deadline=None, max_examples=60)
@given(_PROBLEMS, _GAMMAS)
def test_asymmetric_loss_any_problem_equals_loops(
    case: tuple[Tensor, Tensor, Tensor, Tensor], gamma: float
) -> None:
    surrogate, codes, similarity, source = case
    expected = loss_by_loops(
        surrogate.tolist(), codes.tolist(), similarity.tolist(), source.tolist(), gamma
    )
    assert float(asymmetric_loss(*case, gamma)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_asymmetric_loss_perfect_codes_with_one_unit_is_zero() -> None:
    codes = torch.tensor([[1.0, -1.0, 1.0, 1.0]])
    case = (codes.repeat(2, 1), codes, block_similarity(1), torch.zeros(2, dtype=torch.long))
    assert float(asymmetric_loss(*case, gamma=10.0)) == 0.0


def sweep_by_trial(
    surrogate: Rows, codes: Rows, similarity: Rows, source: list[int], gamma: float
) -> Rows:
    """The sweep by trying both signs of each bit, column after column; a tie keeps the bit."""
    codes = [list(row) for row in codes]
    for column in range(len(codes[0])):
        for row in codes:
            kept = loss_by_loops(surrogate, codes, similarity, source, gamma)
            row[column] *= -1
            if loss_by_loops(surrogate, codes, similarity, source, gamma) > kept - 1e-9:
                row[column] *= -1
    return codes


@settings(deadline=None, max_examples=40)
@given(_PROBLEMS, _GAMMAS)
def test_sweep_codes_any_problem_equals_trying_both_signs_of_every_bit(
    case: tuple[Tensor, Tensor, Tensor, Tensor], gamma: float
) -> None:
    expected = sweep_by_trial(*(part.tolist() for part in case), gamma)
    assert sweep_codes(*case, gamma).tolist() == expected


@pytest.mark.parametrize("column", range(5))
@pytest.mark.parametrize("gamma", [0.0, 2.0, 100.0])
def test_sweep_codes_column_just_updated_has_no_bit_whose_flip_lowers_the_loss(
    column: int, gamma: float
) -> None:
    surrogate, codes, similarity, source = problem(queries=8, units=6, bits=5, seed=column)
    # The sweep ends with the last column, so the column in question goes there.
    order = [k for k in range(5) if k != column] + [column]
    surrogate, codes = surrogate[:, order], codes[:, order]
    swept = sweep_codes(surrogate, codes, similarity, source, gamma).tolist()
    rest = surrogate.tolist(), similarity.tolist(), source.tolist()
    lowest = loss_by_loops(rest[0], swept, rest[1], rest[2], gamma)
    for row in swept:
        row[-1] *= -1
        assert loss_by_loops(rest[0], swept, rest[1], rest[2], gamma) >= lowest - 1e-9
        row[-1] *= -1


@pytest.mark.parametrize("gamma", [0.0, 1.0, 100.0])
def test_sweep_codes_again_and_again_never_raises_the_loss_and_comes_to_rest(gamma: float) -> None:
    surrogate, codes, similarity, source = problem(queries=30, units=15, bits=16, seed=5)
    losses = [float(asymmetric_loss(surrogate, codes, similarity, source, gamma))]
    for _ in range(15):
        codes = sweep_codes(surrogate, codes, similarity, source, gamma)
        losses.append(float(asymmetric_loss(surrogate, codes, similarity, source, gamma)))
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(losses))
    assert losses[1] < losses[0]
    torch.testing.assert_close(codes, sweep_codes(surrogate, codes, similarity, source, gamma))


def test_sweep_codes_single_precision_block_never_raises_the_loss() -> None:
    generator = torch.Generator().manual_seed(3)
    surrogate = torch.tanh(torch.randn(64, 48, generator=generator))
    codes = torch.where(torch.rand(32, 48, generator=generator) > 0.5, 1.0, -1.0)
    similarity, source = block_similarity(32), torch.arange(32).repeat(2)
    loss = float(asymmetric_loss(surrogate, codes, similarity, source, 100.0))
    for _ in range(5):
        codes = sweep_codes(surrogate, codes, similarity, source, 100.0)
        assert set(codes.unique().tolist()) <= {-1.0, 1.0}
        swept = float(asymmetric_loss(surrogate, codes, similarity, source, 100.0))
        assert swept <= loss * (1 + 1e-5)
        loss = swept


def test_sweep_codes_direction_of_exactly_zero_keeps_each_bit() -> None:
    codes = torch.tensor([[1.0, -1.0], [-1.0, 1.0]])
    swept = sweep_codes(
        torch.zeros(4, 2), codes, block_similarity(2), torch.arange(2).repeat(2), gamma=7.0
    )
    assert swept.tolist() == codes.tolist()


def test_sweep_codes_unit_without_query_keeps_its_bit_where_nothing_pulls() -> None:
    # One bit, one query, which belongs to unit 0; the similarity to unit 1 is zero.
    swept = sweep_codes(
        torch.tensor([[0.5]]),
        torch.tensor([[-1.0], [-1.0]]),
        torch.tensor([[1.0, 0.0]]),
        torch.tensor([0]),
        gamma=1.0,
    )
    assert swept.tolist() == [[1.0], [-1.0]]


def test_sweep_codes_leaves_its_input_as_it_was() -> None:
    surrogate, codes, similarity, source = problem(queries=8, units=6, bits=8, seed=1)
    before = codes.clone()
    assert not torch.equal(sweep_codes(surrogate, codes, similarity, source, 1.0), before)
    assert torch.equal(codes, before)


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


def unit_rows(matrix: Floats) -> Floats:
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


def synthetic_pairs(count: int = 400, dimension: int = 32, seed: int = 0) -> Pairs:
    """Units in a few directions; a query is its unit, turned and shifted as questions are."""
    generator = np.random.default_rng(seed)
    spread = np.exp(-np.arange(dimension) / 8.0)
    units = generator.standard_normal((count, dimension)) * spread
    turn = np.eye(dimension) + 0.3 * generator.standard_normal((dimension, dimension))
    noise = 0.3 * generator.standard_normal((count, dimension)) * spread
    queries = (units + noise) @ turn + 0.5
    return Pairs(unit_rows(queries), unit_rows(units))


CONFIG = TrainingConfig(bits=64, block=64, rounds=5, learning_rate=1e-2)


def test_pairs_taken_rows_keep_query_and_unit_together() -> None:
    pairs = synthetic_pairs(10)
    taken = pairs.take(np.array([7, 2]))
    assert len(taken) == 2
    np.testing.assert_array_equal(taken.queries, pairs.queries[[7, 2]])
    np.testing.assert_array_equal(taken.units, pairs.units[[7, 2]])


def test_initial_head_of_units_is_centred_with_a_spread_of_about_one() -> None:
    pairs = synthetic_pairs()
    head = initial_head(pairs, CONFIG, ENCODER)
    values = head.units(pairs.units)
    np.testing.assert_allclose(values.mean(axis=0), np.zeros(64), atol=1e-5)
    assert 0.9 < float(np.sqrt((values**2).mean())) < 1.1
    assert (head.encoder, head.trained_on, head.bits) == (ENCODER, 400, 64)


def surrogate_by_loops(head: HashHead, vectors: Floats, sharpness: float) -> Rows:
    return [
        [
            math.tanh(sharpness * (float(row.astype(float) @ vector.astype(float)) + float(bias)))
            for row, bias in zip(head.units.weight, head.units.bias, strict=True)
        ]
        for vector in vectors
    ]


def test_train_one_block_reports_the_loss_of_the_head_it_starts_from() -> None:
    pairs = synthetic_pairs(count=12, dimension=6)
    config = TrainingConfig(bits=8, block=64, rounds=1, gamma=3.0)
    (head, before), (_, first_round) = train(pairs, config, ENCODER)
    vectors = np.concatenate([pairs.queries, pairs.units])
    codes = [[1.0 if value > 0 else -1.0 for value in row] for row in head.units(pairs.units)]
    for step, loss in [(0, before), (1, first_round)]:
        expected = loss_by_loops(
            surrogate_by_loops(head, vectors, math.sqrt(0.1 * step + 1)),
            codes,
            similarity_by_loops(12),
            [*range(12), *range(12)],
            gamma=3.0,
        )
        assert loss == pytest.approx(expected, rel=1e-4)


def test_train_rounds_give_one_head_each_after_the_initial_one() -> None:
    pairs = synthetic_pairs(count=40, dimension=16)
    config = TrainingConfig(bits=16, block=16, rounds=3, learning_rate=1e-2)
    heads = [head for head, _ in train(pairs, config, ENCODER)]
    assert len(heads) == 4
    np.testing.assert_array_equal(
        heads[0].units.weight, initial_head(pairs, config, ENCODER).units.weight
    )
    assert len({head.units.weight.tobytes() for head in heads}) == 4
    assert len({head.units.bias.tobytes() for head in heads}) == 4
    assert {(head.encoder, head.trained_on) for head in heads} == {(ENCODER, 40)}


def held_out(pairs: Pairs, config: TrainingConfig) -> tuple[np.ndarray, np.ndarray]:
    """The split that `learn_head` documents: one pair in eight, drawn with the seed."""
    shuffled = np.random.default_rng(config.seed).permutation(len(pairs))
    return shuffled[: len(pairs) // 8], shuffled[len(pairs) // 8 :]


def ranks_of_held_out(head: HashHead, pairs: Pairs, config: TrainingConfig) -> float:
    rows, _ = held_out(pairs, config)
    return rank_by_sorting(head, pairs.queries[rows], pairs.units, rows)


def rank_by_sorting(head: HashHead, queries: Floats, units: Floats, source: np.ndarray) -> float:
    weight, bias = head.units.weight.astype(float), head.units.bias.astype(float)
    signs = [np.where(weight @ unit.astype(float) + bias > 0, 1.0, -1.0) for unit in units]
    total = 0.0
    for query, own in zip(queries, source, strict=True):
        projected = weight @ query.astype(float) + bias
        scores = [float(projected @ sign) for sign in signs]
        ranking = sorted(range(len(units)), key=lambda unit: -scores[unit])
        total += 1.0 / (1 + ranking.index(int(own)))
    return total / len(source)


def test_reciprocal_rank_queries_of_all_units_equals_sorting() -> None:
    pairs = synthetic_pairs(count=60)
    head = initial_head(pairs, CONFIG, ENCODER)
    source = np.random.default_rng(1).permutation(60)
    got = reciprocal_rank(head, pairs.queries[source], pairs.units, source)
    assert got == pytest.approx(rank_by_sorting(head, pairs.queries[source], pairs.units, source))
    assert 0.1 < got < 1.0


def test_reciprocal_rank_more_queries_than_a_batch_counts_each_once() -> None:
    pairs = synthetic_pairs(count=40)
    head = initial_head(pairs, CONFIG, ENCODER)
    source = np.random.default_rng(2).integers(0, 40, 1100)
    queries = unit_rows(
        pairs.queries[source] + 0.1 * np.random.default_rng(3).standard_normal((1100, 32))
    )
    expected = rank_by_sorting(head, queries, pairs.units, source)
    assert reciprocal_rank(head, queries, pairs.units, source) == pytest.approx(expected)


def test_reciprocal_rank_of_no_queries_is_zero() -> None:
    pairs = synthetic_pairs(count=8)
    head = initial_head(pairs, CONFIG, ENCODER)
    none = np.empty(0, dtype=np.int64)
    assert reciprocal_rank(head, pairs.queries[:0], pairs.units, none) == 0.0


def test_reciprocal_rank_head_that_gives_every_unit_one_code_is_no_better_than_chance() -> None:
    pairs = synthetic_pairs(count=100)
    collapsed = HashHead.symmetric(
        np.zeros((8, 32), np.float32), np.ones(8, np.float32), ENCODER, 1
    )
    assert len(np.unique(collapsed.codes(pairs.units), axis=0)) == 1
    # At random, the mean of 1 / rank over 100 units is 0.052.
    assert reciprocal_rank(collapsed, pairs.queries, pairs.units, np.arange(100)) < 0.1


def test_learn_head_equal_seed_gives_equal_bytes_and_another_seed_does_not() -> None:
    pairs = synthetic_pairs(count=100)
    config = TrainingConfig(bits=16, block=32, rounds=2, learning_rate=1e-2, seed=5)
    (first, losses), (again, losses_again) = (learn_head(pairs, config, ENCODER) for _ in range(2))
    assert first.units.weight.tobytes() == again.units.weight.tobytes()
    assert first.units.bias.tobytes() == again.units.bias.tobytes()
    assert losses == losses_again
    config = TrainingConfig(bits=16, block=32, rounds=2, learning_rate=1e-2, seed=6)
    assert (
        learn_head(pairs, config, ENCODER)[0].units.weight.tobytes() != first.units.weight.tobytes()
    )


@pytest.fixture(scope="module")
def learned() -> tuple[HashHead, list[float]]:
    """What is learned from `synthetic_pairs()` with CONFIG."""
    return learn_head(synthetic_pairs(), CONFIG, ENCODER)


def test_learn_head_losses_of_the_rounds_fall(learned: tuple[HashHead, list[float]]) -> None:
    _, losses = learned
    assert len(losses) == 1 + CONFIG.rounds
    # The first round still runs on the codes that training starts from.
    assert all(later < earlier for earlier, later in pairwise(losses[1:]))
    assert losses[-1] < 0.8 * losses[0]


def test_learn_head_on_turned_queries_ranks_held_out_pairs_better_than_its_start(
    learned: tuple[HashHead, list[float]],
) -> None:
    head, _ = learned
    pairs = synthetic_pairs()
    _, fitted = held_out(pairs, CONFIG)
    start = initial_head(pairs.take(fitted), CONFIG, ENCODER)
    assert ranks_of_held_out(head, pairs, CONFIG) > 1.2 * ranks_of_held_out(start, pairs, CONFIG)
    assert (head.encoder, head.trained_on) == (ENCODER, 350)


def test_learn_head_units_never_seen_get_codes_that_tell_them_apart(
    learned: tuple[HashHead, list[float]],
) -> None:
    unseen = synthetic_pairs(count=50, seed=9).units
    assert len(np.unique(learned[0].codes(unseen), axis=0)) == 50


def test_learn_head_diverged_training_is_not_taken_for_perfect() -> None:
    pairs = synthetic_pairs(count=80)
    config = TrainingConfig(bits=16, block=32, rounds=2, learning_rate=math.inf)
    head, _ = learn_head(pairs, config, ENCODER)
    assert np.isfinite(head.units.weight).all()
    assert np.isfinite(head.units.bias).all()


@pytest.mark.parametrize("learning_rate", [0.0, 1e-3, 3.0, 1e3, 1e30])
@pytest.mark.parametrize("seed", [1, 2])
def test_learn_head_at_any_learning_rate_ends_no_worse_than_it_starts(
    learning_rate: float, seed: int
) -> None:
    pairs = synthetic_pairs(count=160, seed=seed)
    config = TrainingConfig(bits=32, block=64, rounds=3, learning_rate=learning_rate, seed=seed)
    head, _ = learn_head(pairs, config, ENCODER)
    _, fitted = held_out(pairs, config)
    start = initial_head(pairs.take(fitted), config, ENCODER)
    assert np.isfinite(head.units.weight).all()
    assert ranks_of_held_out(head, pairs, config) >= ranks_of_held_out(start, pairs, config) - 1e-9


@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_learn_head_of_very_few_pairs_is_a_finite_head(count: int) -> None:
    pairs = synthetic_pairs(count=count, dimension=8)
    head, losses = learn_head(pairs, TrainingConfig(bits=16, rounds=2), ENCODER)
    assert head.units.weight.shape == (16, 8)
    assert np.isfinite(head.units.weight).all()
    assert np.isfinite(head.units.bias).all()
    assert np.isfinite(losses).all()
    assert head.trained_on == max(1, count - max(1, count // 8))

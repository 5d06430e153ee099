"""The round that is kept: the best by held-out queries, equal each time, finite whatever comes."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from factmill.models.arrays import Doubles, Floats
from factmill.models.codes import hash_selection
from factmill.models.codes.hash_examples import Examples, Rows
from factmill.models.codes.hash_head import HashHead
from factmill.models.codes.hash_initialisation import initial_head
from factmill.models.codes.hash_selection import Learned, learn_head, reciprocal_rank, split_queries
from factmill.models.codes.hash_training import train
from tests.models.codes.made_examples import (
    CONFIG,
    ENCODER,
    TINY,
    assert_finite,
    clustered_examples,
    low_rank_vectors,
    numbers,
)


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


@cache
def learned() -> Learned:
    return learn_head(clustered_examples(), CONFIG, ENCODER)


def held_out(examples: Examples, seed: int) -> tuple[Rows, Rows]:
    return split_queries(examples.queries, seed)


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


def test_learn_head_of_many_units_ranks_held_out_sources_among_some_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hash_selection, "_UNITS_RANKED", 0)
    examples = clustered_examples(80, pages=20)
    made = learn_head(examples, TINY, ENCODER)
    rows, _ = held_out(examples, TINY.seed)
    sources, rows_of_source = np.unique(examples.source[rows], return_inverse=True)
    assert made.float_reciprocal_rank == pytest.approx(
        rank_by_sorting(examples.queries[rows], examples.units[sources], rows_of_source)
    )
    codes = made.head.signs(examples.units[sources])
    assert made.reciprocal_rank == pytest.approx(
        reciprocal_rank(made.head.queries(examples.queries[rows]), codes, rows_of_source)
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


def test_learn_head_takes_the_rotation_only_if_held_out_queries_clearly_prefer_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    examples = clustered_examples(80, pages=20)
    rotation = initial_head(examples.units, TINY, ENCODER)

    def chosen(better: float) -> HashHead:
        """The head when the rotation ranks `better` of the queries first, and all else second."""

        def ranks(queries: Floats, _units: Floats, source: Rows) -> Doubles:
            of_rotation = rotation.queries(examples.queries[held_out(examples, TINY.seed)[0]])
            first = round(better * len(source)) if np.array_equal(queries, of_rotation) else 0
            return np.repeat([1.0, 0.5], [first, len(source) - first])

        monkeypatch.setattr(hash_selection, "_ranks", ranks)
        return learn_head(examples, TINY, ENCODER).head

    assert chosen(0.0).decoder is not None
    assert chosen(0.2).decoder is not None
    assert chosen(0.8).decoder is None


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

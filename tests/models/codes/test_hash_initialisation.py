"""Where training starts: rotations, and codes with the decoder fitted to them."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from factmill.models.arrays import Floats
from factmill.models.codes.code_sweeps import code_errors
from factmill.models.codes.hash_head import HashHead
from factmill.models.codes.hash_initialisation import fit_codes, initial_head, random_rotation
from tests.models.codes.made_examples import CONFIG, ENCODER, low_rank_vectors, unit_rows


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

"""Tabu search for codes: against single flips in plain loops, and against all codes there are.

Where results must be equal bit for bit, inputs are small multiples of a power of two: single
precision is then exact, and ties are ties in the reference as well.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from factmill.models.arrays import Floats
from factmill.models.codes import code_search
from factmill.models.codes.code_search import search_codes
from factmill.models.codes.code_sweeps import code_errors, sweep_codes


def error(vector: Floats, code: list[float], decoder: Floats, eta: float) -> float:
    """|x - D^T h|^2 + eta (x . (x - D^T h))^2 in double precision."""
    wide = vector.astype(np.float64)
    missing = wide - np.array(code) @ decoder.astype(np.float64)
    return float(missing @ missing + eta * (wide @ missing) ** 2)


def search_by_trial(
    vector: Floats, code: list[float], decoder: Floats, eta: float, steps: int, tenure: int
) -> list[float]:
    """Each step tries every flip that is not held and makes the cheapest; the best code is kept."""
    best, now, recent = list(code), list(code), list[int]()
    for _ in range(steps):
        trials = [
            (error(vector, [*now[:bit], -now[bit], *now[bit + 1 :]], decoder, eta), bit)
            for bit in range(len(now))
            if bit not in recent
        ]
        _, bit = min(trials)
        now[bit] = -now[bit]
        recent = [*recent, bit][-tenure:]
        if error(vector, now, decoder, eta) < error(vector, best, decoder, eta):
            best = list(now)
    return best


@st.composite
def problems(draw: st.DrawFn) -> tuple[Floats, Floats, Floats]:
    """Vectors, codes and a decoder of small whole numbers."""
    rows, dimension, bits = (
        draw(st.integers(0, 3)),
        draw(st.integers(1, 4)),
        draw(st.integers(4, 9)),
    )
    whole = st.integers(-3, 3).map(float)
    return (
        draw(arrays(np.float32, (rows, dimension), elements=whole)),
        draw(arrays(np.float32, (rows, bits), elements=st.sampled_from([-1.0, 1.0]))),
        draw(arrays(np.float32, (bits, dimension), elements=whole)),
    )


@settings(max_examples=60)
@given(problems(), st.sampled_from([0.0, 0.5, 8.0]), st.integers(0, 12))
def test_search_codes_any_problem_equals_trying_every_flip(
    problem: tuple[Floats, Floats, Floats], eta: float, steps: int
) -> None:
    vectors, codes, decoder = problem
    before = codes.copy()
    found = search_codes(vectors, codes, decoder, eta=eta, steps=steps)
    tenure = min(8, codes.shape[1] // 4)
    expected = [
        search_by_trial(vector, code.tolist(), decoder, eta, steps, tenure)
        for vector, code in zip(vectors, codes, strict=True)
    ]
    assert found.tolist() == expected
    np.testing.assert_array_equal(codes, before)


def gaussian_problem(rows: int, bits: int, dimension: int, seed: int) -> tuple[Floats, ...]:
    generator = np.random.default_rng(seed)
    vectors = generator.standard_normal((rows, dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    decoder = generator.standard_normal((bits, dimension)).astype(np.float32) / bits**0.75
    codes = generator.choice(np.array([-1, 1], np.float32), (rows, bits))
    return vectors, codes, decoder


def test_search_codes_of_few_bits_finds_the_best_of_all_codes_far_more_often_than_sweeps() -> None:
    vectors, codes, decoder = gaussian_problem(rows=150, bits=10, dimension=6, seed=1)
    every = np.array(list(product([-1, 1], repeat=10)), np.float32)
    best = [
        float(code_errors(np.repeat(vector[None], len(every), 0), every, decoder).min())
        for vector in vectors
    ]
    searched = code_errors(vectors, search_codes(vectors, codes, decoder, steps=60), decoder)
    swept = code_errors(vectors, sweep_codes(vectors, codes, decoder, sweeps=50), decoder)
    assert np.isclose(searched, best, rtol=1e-4).mean() > 0.6
    assert np.isclose(swept, best, rtol=1e-4).mean() < 0.3


def test_search_codes_more_steps_are_never_worse_and_better_on_the_whole() -> None:
    vectors, codes, decoder = gaussian_problem(rows=100, bits=64, dimension=32, seed=2)
    errors = [
        code_errors(vectors, search_codes(vectors, codes, decoder, steps=steps), decoder)
        for steps in (0, 40, 80, 400)
    ]
    np.testing.assert_array_equal(errors[0], code_errors(vectors, codes, decoder))
    for fewer, more in zip(errors, errors[1:], strict=False):
        assert (more <= fewer * (1 + 1e-4)).all()
        assert more.mean() < 0.99 * fewer.mean()
    swept = code_errors(vectors, sweep_codes(vectors, codes, decoder, sweeps=50), decoder)
    assert errors[-1].mean() < 0.95 * swept.mean()


def test_search_codes_of_a_vector_do_not_depend_on_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vectors, codes, decoder = gaussian_problem(rows=1100, bits=64, dimension=32, seed=3)
    found = search_codes(vectors, codes, decoder, steps=128)
    for rows in (slice(0, 1), slice(511, 514), slice(1099, 1100)):
        alone = search_codes(vectors[rows], codes[rows], decoder, steps=128)
        np.testing.assert_array_equal(found[rows], alone)
    monkeypatch.setattr(code_search, "cores", lambda: 1)
    np.testing.assert_array_equal(search_codes(vectors, codes, decoder, steps=128), found)


def test_search_codes_of_values_that_are_no_numbers_ends_with_codes() -> None:
    vectors, codes, decoder = gaussian_problem(rows=4, bits=16, dimension=4, seed=4)
    vectors[1:3] = np.nan
    found = search_codes(vectors, codes, decoder, steps=32)
    assert set(np.unique(found).tolist()) == {-1.0, 1.0}
    sound = [0, 3]
    expected = search_codes(vectors[sound], codes[sound], decoder, steps=32)
    np.testing.assert_array_equal(found[sound], expected)

"""Column sweeps and decoders: against single numbers in plain loops and exact least squares.

Where results must be equal bit for bit, inputs are small multiples of a power of two: single
precision is then exact, and ties are ties in the reference as well.
"""

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from factmill.models.arrays import Floats
from factmill.models.codes.code_sweeps import ETA, code_errors, fit_decoder, sweep_codes
from factmill.models.codes.hash_losses import asymmetric_terms, source_similarity

Row = list[float]


@dataclass(frozen=True)
class Problem:
    vectors: Floats
    codes: Floats
    decoder: Floats
    eta: float
    gram: Floats | None
    linear: Floats | None

    def swept(self, codes: Floats, sweeps: int = 1) -> Floats:
        return sweep_codes(
            self.vectors,
            codes,
            self.decoder,
            eta=self.eta,
            sweeps=sweeps,
            gram=self.gram,
            linear=self.linear,
        )

    def row(self, row: int) -> tuple[Row, list[Row], float, list[Row], Row]:
        """What e of one row depends on, besides its code: x, D, eta, lambda A, lambda b."""
        bits = len(self.decoder)
        gram = np.zeros((bits, bits)) if self.gram is None else self.gram
        linear = np.zeros(bits) if self.linear is None else self.linear[row]
        return (
            self.vectors[row].tolist(),
            self.decoder.tolist(),
            self.eta,
            gram.tolist(),
            linear.tolist(),
        )


def error_by_loops(
    code: Row, vector: Row, decoder: list[Row], eta: float, gram: list[Row], linear: Row
) -> float:
    """e(h) of the module's docstring, one number at a time, in double precision."""
    error = [
        x - sum(h * of_bit[index] for h, of_bit in zip(code, decoder, strict=True))
        for index, x in enumerate(vector)
    ]
    total = sum(value * value for value in error)
    total += eta * sum(value * x for value, x in zip(error, vector, strict=True)) ** 2
    for first, of_first in zip(code, gram, strict=True):
        for second, value in zip(code, of_first, strict=True):
            total += first * value * second
    return total - 2 * sum(h * b for h, b in zip(code, linear, strict=True))


def size_of_terms(
    vector: Row, decoder: list[Row], eta: float, gram: list[Row], linear: Row
) -> float:
    """An upper bound of all that is summed in e: rounding is in proportion to it."""
    return error_by_loops(
        [-1.0] * len(decoder),
        [abs(x) for x in vector],
        [[abs(x) for x in row] for row in decoder],
        eta,
        [[abs(x) for x in row] for row in gram],
        [abs(x) for x in linear],
    )


def sweep_by_trial(code: Row, rest: tuple[Row, list[Row], float, list[Row], Row]) -> Row:
    """Both signs of each bit are tried, column after column; a tie keeps the bit."""
    code = list(code)
    for column in range(len(code)):
        flipped = [*code[:column], -code[column], *code[column + 1 :]]
        if error_by_loops(flipped, *rest) < error_by_loops(code, *rest):
            code = flipped
    return code


def problems(values: st.SearchStrategy[float]) -> st.SearchStrategy[Problem]:
    """Rows of any small number, none included; with and without the third term."""

    @st.composite
    def problem(draw: st.DrawFn) -> Problem:
        rows, dimension = draw(st.integers(0, 3)), draw(st.integers(1, 4))
        bits = draw(st.integers(1, 6))

        def matrix(*shape: int) -> Floats:
            result: Floats = draw(arrays(np.float32, shape, elements=values))
            return result

        factor = matrix(draw(st.integers(1, 3)), bits)
        codes = draw(arrays(np.float32, (rows, bits), elements=st.sampled_from([-1.0, 1.0])))
        return Problem(
            matrix(rows, dimension),
            codes,
            matrix(bits, dimension),
            draw(st.sampled_from([0.0, 0.5, 8.0])),
            factor.T @ factor if draw(st.booleans()) else None,
            matrix(rows, bits) if draw(st.booleans()) else None,
        )

    return problem()


_EXACT = problems(st.integers(-3, 3).map(float))
_ANY = problems(st.floats(-2, 2, width=32))


@settings(max_examples=80)
@given(_EXACT)
def test_sweep_codes_any_problem_equals_trying_both_signs_of_every_bit(problem: Problem) -> None:
    expected = [
        sweep_by_trial(code.tolist(), problem.row(row)) for row, code in enumerate(problem.codes)
    ]
    assert problem.swept(problem.codes).tolist() == expected


@settings(max_examples=60)
@given(_ANY)
def test_sweep_codes_again_and_again_never_raises_the_loss_of_any_row(problem: Problem) -> None:
    before, codes = problem.codes.copy(), problem.codes
    for _ in range(3):
        swept = problem.swept(codes)
        assert set(np.unique(swept).tolist()) <= {-1.0, 1.0}
        for row, (old, new) in enumerate(zip(codes.tolist(), swept.tolist(), strict=True)):
            rest = problem.row(row)
            rounding = 1e-5 * size_of_terms(*rest)
            assert error_by_loops(new, *rest) <= error_by_loops(old, *rest) + rounding
        codes = swept
    np.testing.assert_array_equal(problem.codes, before)


@settings(max_examples=60)
@given(_EXACT)
def test_sweep_codes_to_the_end_leaves_no_bit_whose_flip_lowers_the_loss(problem: Problem) -> None:
    # Every sweep that changes a code lowers its loss, so there are fewer sweeps than codes.
    final = problem.swept(problem.codes, sweeps=2**6)
    for row, code in enumerate(final.tolist()):
        rest = problem.row(row)
        lowest = error_by_loops(code, *rest)
        for bit in range(len(code)):
            flipped = [*code[:bit], -code[bit], *code[bit + 1 :]]
            assert error_by_loops(flipped, *rest) >= lowest


def random_problem(rows: int, dimension: int, bits: int, seed: int) -> Problem:
    """Multiples of 1/4, so that sums are exact; all terms in use."""
    generator = np.random.default_rng(seed)

    def quarters(*shape: int) -> Floats:
        return generator.integers(-6, 7, shape).astype(np.float32) / 4

    factor = quarters(3, bits)
    codes = generator.choice(np.array([-1, 1], np.float32), (rows, bits))
    return Problem(
        quarters(rows, dimension),
        codes,
        quarters(bits, dimension),
        2.0,
        factor.T @ factor,
        8 * quarters(rows, bits),
    )


def test_sweep_codes_three_at_once_equal_three_in_turn() -> None:
    problem = random_problem(rows=60, dimension=5, bits=12, seed=1)
    in_turn = [problem.codes]
    for _ in range(3):
        in_turn.append(problem.swept(in_turn[-1]))
    assert not np.array_equal(in_turn[2], in_turn[3])  # a third sweep does change something
    np.testing.assert_array_equal(problem.swept(problem.codes, sweeps=3), in_turn[3])
    np.testing.assert_array_equal(problem.swept(problem.codes, sweeps=0), problem.codes)


def test_sweep_codes_more_rows_than_a_block_equal_rows_alone() -> None:
    problem = random_problem(rows=4100, dimension=3, bits=8, seed=2)
    assert problem.linear is not None
    swept = problem.swept(problem.codes)
    for row in (0, 1, 4095, 4096, 4099):
        rows = slice(row, row + 1)
        alone = sweep_codes(
            problem.vectors[rows],
            problem.codes[rows],
            problem.decoder,
            eta=problem.eta,
            gram=problem.gram,
            linear=problem.linear[rows],
        )
        np.testing.assert_array_equal(swept[rows], alone)
    assert not np.array_equal(swept[4096:], problem.codes[4096:])


@pytest.mark.parametrize("order", ["C", "F"])
def test_sweep_codes_leaves_its_input_as_it_was_whatever_its_layout(order: str) -> None:
    problem = random_problem(rows=20, dimension=4, bits=8, seed=3)
    codes = np.array(problem.codes, order=order)
    swept = problem.swept(codes)
    np.testing.assert_array_equal(codes, problem.codes)
    assert not np.array_equal(swept, problem.codes)
    np.testing.assert_array_equal(swept, problem.swept(problem.codes))


def test_sweep_codes_where_nothing_pulls_keeps_each_bit() -> None:
    codes = np.array([[1, -1], [-1, 1]], np.float32)
    swept = sweep_codes(np.zeros((2, 3), np.float32), codes, np.zeros((2, 3), np.float32))
    assert swept.tolist() == codes.tolist()


def test_sweep_codes_without_a_given_eta_takes_that_of_the_module() -> None:
    # One bit, x = (2, 1) and D = (-1, 4), so x . D is 2 and |x|^2 is 5: b of -10 outweighs 2, but
    # not 2 + 8 * 2 * 5.
    vectors, decoder = np.array([[2, 1]], np.float32), np.array([[-1, 4]], np.float32)
    down, pull = np.array([[-1]], np.float32), np.array([[-10]], np.float32)
    assert ETA == 8.0
    assert sweep_codes(vectors, down, decoder, linear=pull).tolist() == [[1.0]]
    assert sweep_codes(vectors, down, decoder, linear=pull, eta=0.0).tolist() == [[-1.0]]


def update_as_printed(
    codes: Floats, surrogate: Floats, similarity: Floats, source: list[int], gamma: float
) -> Floats:
    """HASH-RAG's H[:,k] = -sign(2 H_k V_k^T V~[:,k] + Q[:,k]), k in turn, H_k and V_k without
    column k; Q = -2 l S^T V~ - 2 gamma V_bar."""
    codes, bits = codes.astype(np.float64), codes.shape[1]
    summed = np.zeros(codes.shape)
    for query, unit in enumerate(source):
        summed[unit] += surrogate[query]
    constant = -2 * bits * similarity.T.astype(np.float64) @ surrogate - 2 * gamma * summed
    for column in range(bits):
        others = [other for other in range(bits) if other != column]
        agreement = surrogate[:, others].T.astype(np.float64) @ surrogate[:, column]
        value = 2 * codes[:, others] @ agreement + constant[:, column]
        codes[:, column] = np.where(value == 0, codes[:, column], -np.sign(value))
    return codes


@pytest.mark.parametrize("gamma", [0.0, 1.0, 100.0])
@pytest.mark.parametrize("units", [2, 3, 5])  # -r is then a power of two
@pytest.mark.parametrize("bits", [1, 3, 8])
def test_sweep_codes_without_decoder_is_the_update_that_hash_rag_prints(
    bits: int, units: int, gamma: float
) -> None:
    generator = np.random.default_rng(100 * bits + units)
    surrogate = generator.integers(-7, 8, (9, bits)).astype(np.float32) / 8
    codes = generator.choice(np.array([-1, 1], np.float32), (units, bits))
    source = generator.integers(0, units, 9)
    similarity = source_similarity(torch.from_numpy(source), units)
    gram, linear = asymmetric_terms(
        torch.from_numpy(surrogate), similarity, torch.from_numpy(source), gamma
    )
    vectors = generator.standard_normal((units, 4)).astype(np.float32)
    none = np.zeros((bits, 4), np.float32)
    swept = sweep_codes(vectors, codes, none, gram=gram.numpy(), linear=linear.numpy())
    expected = update_as_printed(codes, surrogate, similarity.numpy(), source.tolist(), gamma)
    np.testing.assert_array_equal(swept, expected)


@settings(max_examples=40)
@given(_ANY)
def test_code_errors_any_problem_equal_loops_without_the_third_term(problem: Problem) -> None:
    errors = code_errors(problem.vectors, problem.codes, problem.decoder, problem.eta)
    assert errors.shape == (len(problem.vectors),)
    for row, error in enumerate(errors.tolist()):
        vector, decoder, eta, gram, linear = problem.row(row)
        nothing = np.zeros_like(gram).tolist(), np.zeros_like(linear).tolist()
        expected = error_by_loops(problem.codes[row].tolist(), vector, decoder, eta, *nothing)
        # What float32 cannot hold is nothing.
        rounding = 1e-5 * size_of_terms(vector, decoder, eta, *nothing) + float(
            np.finfo(np.float32).tiny
        )
        assert error == pytest.approx(expected, rel=1e-5, abs=rounding)


def fitting_problem(
    rows: int, dimension: int, bits: int, seed: int
) -> tuple[Floats, Floats, Floats]:
    """Vectors of about unit length, codes and a decoder, all at random."""
    generator = np.random.default_rng(seed)
    vectors = generator.standard_normal((rows, dimension)) / np.sqrt(dimension)
    codes = generator.choice(np.array([-1, 1], np.float32), (rows, bits))
    decoder = generator.standard_normal((bits, dimension)) / bits
    return vectors.astype(np.float32), codes, decoder.astype(np.float32)


@settings(max_examples=60)
@given(
    st.integers(1, 20), st.integers(1, 6), st.integers(1, 12), st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 1.0, 8.0]),
)  # fmt: skip
def test_fit_decoder_more_iterations_never_raise_the_mean_loss(
    rows: int, dimension: int, bits: int, seed: int, eta: float
) -> None:
    vectors, codes, decoder = fitting_problem(rows, dimension, bits, seed)
    given_decoder = decoder.copy()
    losses = [float(code_errors(vectors, codes, decoder, eta).mean())]
    for iterations in (0, 1, 2, 4, 30):
        fitted = fit_decoder(vectors, codes, decoder, eta, iterations)
        losses.append(float(code_errors(vectors, codes, fitted, eta).mean()))
    for earlier, later in zip(losses, losses[1:], strict=False):
        assert later <= earlier * (1 + 1e-4) + 1e-5
    np.testing.assert_array_equal(decoder, given_decoder)


def test_fit_decoder_one_step_from_elsewhere_lowers_the_loss_much() -> None:
    vectors, codes, decoder = fitting_problem(rows=60, dimension=6, bits=8, seed=4)
    before = float(code_errors(vectors, codes, decoder).mean())
    fitted = fit_decoder(vectors, codes, decoder, iterations=1)
    assert float(code_errors(vectors, codes, fitted).mean()) < 0.9 * before


@pytest.mark.parametrize("seed", range(3))
def test_fit_decoder_without_eta_comes_to_exact_least_squares(seed: int) -> None:
    vectors, codes, decoder = fitting_problem(rows=40, dimension=5, bits=7, seed=seed)
    exact, *_ = np.linalg.lstsq(codes.astype(np.float64), vectors.astype(np.float64), rcond=None)
    fitted = fit_decoder(vectors, codes, decoder, eta=0.0, iterations=60)
    np.testing.assert_allclose(fitted, exact, atol=1e-4)


def test_fit_decoder_more_bits_than_rows_reads_the_vectors_exactly() -> None:
    vectors, codes, decoder = fitting_problem(rows=4, dimension=3, bits=24, seed=1)
    fitted = fit_decoder(vectors, codes, decoder, iterations=60)
    np.testing.assert_allclose(codes @ fitted, vectors, atol=1e-4)


@pytest.mark.parametrize("eta", [0.0, 1.0, 8.0])
def test_fit_decoder_comes_to_where_the_gradient_of_the_loss_vanishes(eta: float) -> None:
    vectors, codes, decoder = fitting_problem(rows=40, dimension=5, bits=7, seed=2)
    fitted = fit_decoder(vectors, codes, decoder, eta, iterations=100).astype(np.float64)
    gradient, size = np.zeros(decoder.shape), np.zeros(decoder.shape)
    for vector, code in zip(vectors.astype(np.float64), codes.astype(np.float64), strict=True):
        error = vector - fitted.T @ code
        pull = np.outer(code, error + eta * (vector @ error) * vector)
        gradient += pull
        size += abs(pull)
    assert (abs(gradient) < 1e-4 * size).all()


def test_fit_decoder_of_zero_vectors_is_finite() -> None:
    none = np.zeros((3, 4), np.float32)
    fitted = fit_decoder(none, np.ones((3, 8), np.float32), np.zeros((8, 4), np.float32))
    assert not fitted.any()

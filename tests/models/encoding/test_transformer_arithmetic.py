"""Products and GELU against plain definitions; the rest is tested by the models made of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from factmill.models.arrays import Floats
from factmill.models.encoding.transformer_arithmetic import gelu, linear, products


def _exact_gelu(values: Floats) -> list[float]:
    return [x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in values.ravel().tolist()]


@given(arrays(np.float32, (4, 10), elements=st.floats(-30, 30, width=32)))
def test_gelu_is_x_times_the_normal_distribution(values: Floats) -> None:
    np.testing.assert_allclose(gelu(values).ravel(), _exact_gelu(values), atol=2e-6)


def test_gelu_of_more_rows_than_one_step_takes() -> None:
    values = np.random.default_rng(3).standard_normal((50, 1536)).astype(np.float32)
    before = values.copy()
    np.testing.assert_allclose(gelu(values).ravel(), _exact_gelu(values), atol=2e-6)
    np.testing.assert_array_equal(values, before)


@given(
    arrays(np.float32, (2, 3, 5), elements=st.floats(-9, 9, width=32)),
    arrays(np.float32, (2, 4, 5), elements=st.floats(-9, 9, width=32)),
)
def test_products_are_those_of_every_row_with_every_column(a: Floats, b: Floats) -> None:
    found = products(a, b)
    np.testing.assert_allclose(found, np.einsum("gik,gjk->gij", a, b), atol=1e-3)


@pytest.mark.parametrize(
    "shape",
    [
        (0, 4, 4),
        (1, 384, 384),
        (3, 70, 5),
        (9, 97, 1536),
        (12, 384, 1536),
        (20, 4, 20_000),
        (33, 31, 257),
        (40, 37, 48),
        (61, 384, 1536),
        (100, 1536, 384),
    ],
)
def test_products_are_the_same_in_blocks(shape: tuple[int, int, int]) -> None:
    rows, columns, dimension = shape
    random = np.random.default_rng(3)
    one = random.standard_normal((rows, dimension)).astype(np.float32)
    other = random.standard_normal((columns, dimension)).astype(np.float32)

    bias = random.standard_normal(columns).astype(np.float32)

    expected = one.astype(np.float64) @ other.T
    found = products(one, other)
    assert found.flags.c_contiguous
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(linear(one, other, bias), expected + bias, rtol=1e-4, atol=1e-3)


@given(st.integers(1, 40), st.integers(1, 200), st.integers(1, 70))
def test_products_of_transposed_stacks(rows: int, columns: int, dimension: int) -> None:
    random = np.random.default_rng(rows)
    one = random.standard_normal((rows, 2, dimension)).astype(np.float32).transpose(1, 0, 2)
    other = random.standard_normal((2, dimension, columns)).astype(np.float32).transpose(0, 2, 1)
    np.testing.assert_allclose(products(one, other), one @ other.swapaxes(1, 2), atol=1e-3)

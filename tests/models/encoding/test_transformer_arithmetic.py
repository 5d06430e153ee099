"""Products and GELU against plain definitions; the rest is tested by the models made of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from factmill.models.arrays import Floats
from factmill.models.encoding.transformer_arithmetic import gelu, products


@given(arrays(np.float32, 40, elements=st.floats(-30, 30, width=32)))
def test_gelu_is_x_times_the_normal_distribution(values: Floats) -> None:
    exact = [x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in values.tolist()]
    np.testing.assert_allclose(gelu(values), exact, atol=2e-6)


@given(
    arrays(np.float32, (2, 3, 5), elements=st.floats(-9, 9, width=32)),
    arrays(np.float32, (2, 4, 5), elements=st.floats(-9, 9, width=32)),
)
def test_products_are_those_of_every_row_with_every_column(a: Floats, b: Floats) -> None:
    found = products(a, b)
    assert found.flags.c_contiguous
    np.testing.assert_allclose(found, np.einsum("gik,gjk->gij", a, b), atol=1e-3)


@pytest.mark.parametrize("shape", [(32, 384, 384), (100, 1536, 384), (61, 384, 1536), (40, 37, 48)])
def test_products_of_many_rows_are_the_same_in_blocks(shape: tuple[int, int, int]) -> None:
    rows, columns, dimension = shape
    random = np.random.default_rng(3)
    one = random.standard_normal((rows, dimension)).astype(np.float32)
    other = random.standard_normal((columns, dimension)).astype(np.float32)

    found = products(one, other)
    assert found.flags.c_contiguous
    np.testing.assert_allclose(found, one @ other.T, atol=1e-3)

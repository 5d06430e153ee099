"""Hard negatives against sorting all units of other pages, query by query."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.arrays import Floats
from factmill.models.codes.hard_negatives import hard_negatives
from factmill.models.codes.hash_examples import Rows


def unit_rows(count: int, dimension: int, generator: np.random.Generator) -> Floats:
    matrix = generator.standard_normal((count, dimension))
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


def by_sorting(
    queries: Floats, units: Floats, groups: Rows, own: Rows, count: int
) -> list[list[int]]:
    """Nearest first, the last repeated, -1 where every unit is of the query's own page."""
    found = []
    for query, page in zip(queries.astype(np.float64), own, strict=True):
        others = [row for row in range(len(units)) if groups[row] != page]
        nearest = sorted(others, key=lambda row: -float(query @ units[row].astype(np.float64)))
        nearest = nearest[:count]
        filling = nearest[-1:] or [-1]
        found.append(nearest + filling * (count - len(nearest)))
    return found


@settings(max_examples=100)
@given(
    queries=st.integers(0, 5),
    units=st.integers(0, 8),
    pages=st.integers(1, 4),
    count=st.integers(0, 10),
    seed=st.integers(0, 2**32 - 1),
)
def test_hard_negatives_any_pages_equal_sorting(
    queries: int, units: int, pages: int, count: int, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    asked, kept = unit_rows(queries, 4, generator), unit_rows(units, 4, generator)
    groups = generator.integers(0, pages, units)
    own = generator.integers(0, pages + 1, queries)  # also a page without any unit
    found = hard_negatives(asked, kept, groups, own, count)
    assert found.dtype == np.int64
    assert found.shape == (queries, count)
    assert found.tolist() == by_sorting(asked, kept, groups, own, count)


@pytest.mark.parametrize("queries", [255, 256, 257, 600])
def test_hard_negatives_more_queries_than_a_block_equal_sorting(queries: int) -> None:
    generator = np.random.default_rng(queries)
    asked, units = unit_rows(queries, 4, generator), unit_rows(12, 4, generator)
    groups = np.arange(12) // 3
    own = generator.integers(0, 4, queries)
    found = hard_negatives(asked, units, groups, own, 4)
    assert found.tolist() == by_sorting(asked, units, groups, own, 4)


def test_hard_negatives_pass_over_a_nearer_unit_of_the_own_page() -> None:
    units = np.array([[1, 0], [0.6, 0.8], [0, 1]], np.float32)
    query, groups = np.array([[1, 0]], np.float32), np.array([7, 7, 9])
    assert hard_negatives(query, units, groups, np.array([7]), 2).tolist() == [[2, 2]]
    assert hard_negatives(query, units, groups, np.array([9]), 2).tolist() == [[0, 1]]


def test_hard_negatives_far_units_are_units_all_the_same() -> None:
    units, query = np.array([[-1, 0], [0, 1]], np.float32), np.array([[1, 0]], np.float32)
    assert hard_negatives(query, units, np.array([1, 2]), np.array([2]), 2).tolist() == [[0, 0]]


def test_hard_negatives_leave_their_input_as_it_was() -> None:
    generator = np.random.default_rng(1)
    asked, units = unit_rows(3, 4, generator), unit_rows(5, 4, generator)
    groups, own = np.arange(5), np.arange(3)
    before = [part.copy() for part in (asked, units, groups, own)]
    hard_negatives(asked, units, groups, own, 3)
    for part, old in zip((asked, units, groups, own), before, strict=True):
        np.testing.assert_array_equal(part, old)

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.runtime.search.sharded import (
    ShardedArray,
    best_positions,
    first_of_each,
    offsets_of,
    ranges,
    without,
)

_PARTS = st.lists(st.lists(st.integers(-9, 9), max_size=5), min_size=1, max_size=5)


@given(_PARTS, st.integers(0, 3), st.data())
def test_take_reads_what_the_parts_together_have(
    parts: list[list[int]], width: int, data: st.DataObject
) -> None:
    shape = (-1, width) if width else (-1,)
    arrays = [np.repeat(np.array(part, np.int32), max(1, width)).reshape(shape) for part in parts]
    whole = np.concatenate(arrays)
    sharded = ShardedArray(arrays)
    assert len(sharded) == len(whole)
    drawn = st.lists(st.integers(0, len(whole) - 1), max_size=9) if len(whole) else st.just([])
    numbers = np.array(sorted(data.draw(drawn)), np.int64)
    found = sharded.take(numbers)
    assert (found.dtype, found.tolist()) == (whole.dtype, whole[numbers].tolist())


@pytest.mark.parametrize("numbers", [[-1], [0, 3], [2**40]])
def test_take_a_number_that_is_not_there_is_an_error(numbers: list[int]) -> None:
    with pytest.raises(IndexError, match="of 3 elements"):
        ShardedArray([np.zeros(1), np.zeros(2)]).take(np.array(numbers))


def test_offsets_are_those_of_each_part_and_of_the_end() -> None:
    assert offsets_of([2, 0, 3]).tolist() == [0, 2, 2, 5]
    assert offsets_of([]).tolist() == [0]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=8))
@settings(max_examples=100)
def test_ranges_are_written_one_after_the_other(pairs: list[tuple[int, int]]) -> None:
    first = np.array([start for start, _ in pairs], np.int64)
    lengths = np.array([length for _, length in pairs], np.int64)
    expected = [n for start, length in pairs for n in range(start, start + length)]
    assert list(ranges(first, lengths)) == expected


@given(st.lists(st.integers(0, 6), max_size=12))
@settings(max_examples=50)
def test_first_of_each_is_as_numpy_finds_it(numbers: list[int]) -> None:
    values, first = first_of_each(np.array(numbers, np.int64))
    expected = np.unique(np.array(numbers, np.int64), return_index=True)
    assert [values.tolist(), first.tolist()] == [column.tolist() for column in expected]


@given(st.sets(st.integers(0, 20)), st.sets(st.integers(0, 20)))
def test_without_leaves_out_the_others(numbers: set[int], others: set[int]) -> None:
    found = without(np.array(sorted(numbers), np.int64), np.array(sorted(others), np.int64))
    assert found.tolist() == sorted(numbers - others)


@given(st.lists(st.sampled_from([-1.5, 0.0, 0.25, 3.0]), max_size=30), st.integers(1, 12))
def test_best_positions_agree_with_sorting_and_of_equal_ones_are_the_first(
    scores: list[float], count: int
) -> None:
    ranked = sorted(range(len(scores)), key=lambda position: (-scores[position], position))
    assert best_positions(np.array(scores), count).tolist() == sorted(ranked[:count])

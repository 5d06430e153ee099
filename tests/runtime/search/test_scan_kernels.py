from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.codes.compiled import kernel
from factmill.models.codes.hash_head import asymmetric_scores
from factmill.runtime.search.bit_kernels import distance, prepare, score
from factmill.runtime.search.index_shard import Column
from factmill.runtime.search.scan_kernels import (
    best_rows,
    merged,
    nearest_lists,
    scan_lists,
    scan_rows,
)

_WIDTHS = [1, 2, 3, 8, 15, 16, 17, 31, 48, 50, 96]


@kernel
def _distances(codes: np.ndarray, query: np.ndarray) -> np.ndarray:
    found = np.empty(len(codes), np.int64)
    for row in range(len(codes)):
        address = codes.ctypes.data + row * codes.shape[1]
        found[row] = distance(address, query.ctypes.data, len(query))
    return found


@kernel
def _scores(codes: np.ndarray, query: np.ndarray) -> np.ndarray:
    found = np.empty(len(codes), np.float32)
    for row in range(len(codes)):
        found[row] = score(codes.ctypes.data + row * codes.shape[1], query)
    return found


def _columns(codes: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    columns = np.zeros((len(codes), 9), np.int64)
    columns[:, 0] = [shard.ctypes.data for shard in codes]
    lengths = np.zeros((len(codes), 3), np.int64)
    lengths[:, 0] = [len(shard) for shard in codes]
    return columns, lengths


def _counted(codes: np.ndarray, query: np.ndarray) -> np.ndarray:
    return np.unpackbits(codes ^ query, axis=1).sum(axis=1, dtype=np.int64)


@pytest.mark.parametrize("width", _WIDTHS)
def test_distance_agrees_with_counting_bits(width: int) -> None:
    random = np.random.default_rng(width)
    codes = random.integers(0, 256, (50, width), dtype=np.uint8)
    assert np.array_equal(_distances(codes, codes[3]), _counted(codes, codes[3]))


@pytest.mark.parametrize("width", _WIDTHS)
def test_score_agrees_with_the_product(width: int) -> None:
    random = np.random.default_rng(width)
    codes = random.integers(0, 256, (50, width), dtype=np.uint8)
    vector = random.standard_normal(8 * width, dtype=np.float32)
    expected = asymmetric_scores(vector, codes)
    assert _scores(codes, prepare(vector)) == pytest.approx(expected, abs=1e-4)


@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=4),
    st.integers(1, 60),
    st.integers(0, 3),
    st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_scan_rows_are_the_nearest_of_all_shards_and_of_equal_ones_the_first(
    sizes: list[int], wanted: int, kinds: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    # With few different bytes, many rows are equally near.
    codes = [random.integers(0, 256 >> (2 * kinds), (n, 2), dtype=np.uint8) for n in sizes]
    query = random.integers(0, 256, 2, dtype=np.uint8)
    distances = np.concatenate([_counted(shard, query) for shard in codes])
    keys = np.concatenate([(s << 32) + np.arange(n) for s, n in enumerate(sizes)])
    nearest = np.sort(np.argsort(distances, kind="stable")[:wanted])
    columns, lengths = _columns(codes)
    found = scan_rows(columns, lengths, query, 0, sum(sizes), wanted)
    assert found.tolist() == np.stack([keys, distances], axis=1)[nearest].tolist()
    middle = sum(sizes) // 2
    parts = [
        scan_rows(columns, lengths, query, *part, wanted)
        for part in ((0, middle), (middle, sum(sizes)))
    ]
    assert merged(np.concatenate(parts), 16, wanted).tolist() == found.tolist()


@given(
    st.lists(st.integers(0, 120), min_size=1, max_size=3),
    st.sampled_from([2, 16, 24]),
    st.integers(1, 60),
    st.sets(st.integers(0, 4), min_size=1),
    st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_scan_lists_are_the_rows_of_these_lists_with_the_nearest_short_codes(
    sizes: list[int], width: int, wanted: int, lists: set[int], seed: int
) -> None:
    random = np.random.default_rng(seed)
    codes = [random.integers(0, 4, (n, width), dtype=np.uint8) for n in sizes]
    list_of = [random.integers(0, 5, n) for n in sizes]
    rows = [np.argsort(of, kind="stable").astype(np.int32) for of in list_of]
    starts = [
        np.searchsorted(np.sort(of), np.arange(6), side="left").astype(np.int32) for of in list_of
    ]
    short = [np.ascontiguousarray(one[order, :16]) for one, order in zip(codes, rows, strict=True)]
    columns, lengths = _columns(codes)
    for column, arrays in (
        (Column.LIST_STARTS, starts), (Column.LIST_ROWS, rows), (Column.SHORT_CODES, short),
    ):  # fmt: skip
        columns[:, column] = [array.ctypes.data for array in arrays]
    query = random.integers(0, 4, width, dtype=np.uint8)

    found = scan_lists(columns, lengths, query, np.array(sorted(lists)), wanted)

    expected = {
        (shard << 32) + row: int(_counted(codes[shard][row : row + 1, :16], query[:16])[0])
        for shard, of in enumerate(list_of)
        for row in np.flatnonzero(np.isin(of, list(lists))).tolist()
    }
    assert sorted(found[:, 1].tolist()) == sorted(expected.values())[:wanted]
    assert len(set(found[:, 0].tolist())) == len(found)
    assert all(expected[key] == away for key, away in found.tolist())


def test_best_rows_are_those_with_the_best_scores() -> None:
    random = np.random.default_rng(2)
    codes = random.integers(0, 256, (200, 8), dtype=np.uint8)
    vector = random.standard_normal(64, dtype=np.float32)
    columns, lengths = _columns([codes])
    found = scan_rows(columns, lengths, codes[0], 0, 200, 100)
    scores = asymmetric_scores(vector, codes[found[:, 0]])
    best = found[np.argsort(-scores)[:30], 0]
    rows = best_rows(columns, found, prepare(vector), 30)
    assert rows.tolist() == sorted(best.tolist())


def test_nearest_lists_fewer_centroids_than_lists_to_read_gives_all() -> None:
    centroids = np.random.default_rng(3).integers(0, 256, (5, 8), dtype=np.uint8)
    vector = np.ones(64, np.float32)
    found = nearest_lists(centroids, np.packbits(vector > 0), prepare(vector), 9)
    assert sorted(found) == [0, 1, 2, 3, 4]

from __future__ import annotations

import faiss
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.runtime.search.code_scan import ScannedCodes
from tests.hash_heads import asymmetric_scores


@given(st.integers(0, 300), st.sampled_from([1, 2, 16, 48]), st.integers(1, 40), st.integers(0, 99))
@settings(max_examples=50)
def test_codes_found_score_as_well_as_the_best_but_for_rounding(
    size: int, width: int, count: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    codes = random.integers(0, 256, (size, width), dtype=np.uint8)
    query = random.standard_normal(8 * width, dtype=np.float32)

    found = ScannedCodes(codes).best(query, count)

    scores = asymmetric_scores(query, codes)
    assert len(found) == len(set(found.tolist())) == min(count, size)
    best = np.sort(scores)[::-1][: len(found)]
    # Each of two numbers of eight bits a byte is off by at most half of its step.
    step = 2 * np.abs(query).reshape(-1, 4).sum(axis=1).max() / 255
    assert np.all(np.sort(scores[found])[::-1] >= best - 2 * width * step - 1e-4)


def test_codes_that_are_the_opposite_of_a_query_are_found_where_there_are_no_others() -> None:
    codes = np.zeros((5, 2), np.uint8)
    found = ScannedCodes(codes).best(np.ones(16, np.float32), 3)
    assert len(set(found.tolist())) == 3


def test_first_bytes_are_scored_by_the_first_part_of_a_query() -> None:
    codes = np.array([[0b00001111], [0b11110000], [0b10100101]], np.uint8)
    query = np.array([3, 3, 3, 3, -2, -2, -2, -2, 99, 99, 99, 99, 99, 99, 99, 99], np.float32)
    assert ScannedCodes(codes).best(query, 1).tolist() == [1]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_scan_leaves_the_number_of_threads_as_it_was(threads: int) -> None:
    before = faiss.omp_get_max_threads()
    try:
        faiss.omp_set_num_threads(threads)
        ScannedCodes(np.zeros((3, 2), np.uint8)).best(np.ones(16, np.float32), 2)
        assert faiss.omp_get_max_threads() == threads
    finally:
        faiss.omp_set_num_threads(before)

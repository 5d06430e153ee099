from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.arrays import Integers
from factmill.runtime.lexical import max_score
from factmill.runtime.lexical.max_score import best_segments
from factmill.runtime.search.sharded import distinct

# What a word gives a segment, as a share of the most that it gives.
_SHARES = st.sampled_from([0.0, 0.0, 0.0, 0.5, 0.75, 1.0])


@settings(max_examples=200)
@given(
    st.integers(0, 60).flatmap(
        lambda size: st.lists(
            st.tuples(
                st.sampled_from([0.5, 1.0, 4.0]), st.lists(_SHARES, min_size=size, max_size=size)
            ),
            max_size=4,
        )
    ),
    st.integers(1, 20),
)
def test_best_segments_are_those_that_sorting_all_of_them_finds(
    words: list[tuple[float, list[float]]], count: int
) -> None:
    gains = [np.multiply(most, shares) for most, shares in words]
    gains.sort(key=np.count_nonzero)
    size = len(gains[0]) if gains else 0
    scores = np.sum([np.zeros(size), *gains], axis=0).astype(np.float32)
    most = np.array([gained.max(initial=0) for gained in gains], np.float32)
    found = best_segments(scores, [np.flatnonzero(gained) for gained in gains], most, count)
    ranked = sorted((-score, segment) for segment, score in enumerate(scores.tolist()) if score)
    assert found.tolist() == sorted(segment for _, segment in ranked[:count])


def test_segments_that_have_only_a_frequent_word_are_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at = []

    def noting(found: Integers) -> Integers:
        looked_at.append(len(found))
        return distinct(found)

    monkeypatch.setattr(max_score, "distinct", noting)
    rare, frequent = np.arange(3), np.arange(1000)
    scores = np.full(1000, 4.5, np.float32)
    scores[:3] += 4
    found = best_segments(scores, [rare, frequent], np.array([4, 4.5], np.float32), 2)
    assert found.tolist() == [0, 1]
    assert looked_at == [3]

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.arrays import Integers
from factmill.runtime.search.fusion import WEIGHT
from factmill.runtime.search.pages import (
    ScoredPages,
    ScoredSegments,
    best_units,
    pages_of,
    ranked,
)
from factmill.runtime.search.sharded import offsets_of

_SCORES = st.sampled_from([-0.5, 0.0, 0.25, 0.5])


class _Table:
    """What is read of a `SegmentTable`: the page of each segment, and how many rows it has."""

    def __init__(self, pages: list[int], rows: list[int]) -> None:
        self.pages = np.array(pages, np.int64)
        self._offsets = offsets_of(rows)

    def row_ranges(self, segments: Integers) -> tuple[Integers, Integers]:
        first = self._offsets[segments]
        return first, self._offsets[segments + 1] - first


def _table(pages: list[int], rows: list[int] | None = None) -> Any:
    return _Table(pages, rows or [1] * len(pages))


@given(st.lists(st.tuples(st.integers(0, 4), _SCORES, _SCORES, st.integers(0, 3)), max_size=12))
def test_pages_score_as_their_best_segments_and_show_the_one_with_the_best_row(
    segments: list[tuple[int, float, float, int]],
) -> None:
    segments.sort(key=lambda segment: segment[0])
    pages, scores, best_rows, words = (
        map(list, zip(*segments, strict=True)) if segments else 4 * [[]]
    )
    found = ScoredSegments(
        np.arange(len(segments)), np.array(scores, np.float64), np.array(best_rows, np.float64)
    )
    scored = pages_of(_table(pages), found, np.array(words, np.float32), most=10.0)
    expected = []
    for page in sorted(set(pages)):
        members = [number for number, of in enumerate(pages) if of == page]
        shown = max(members, key=lambda number: (best_rows[number], -number))
        score = max(scores[number] for number in members)
        expected.append((page, shown, score, max(words[number] for number in members)))
    columns = (scored.pages, scored.segments, scored.dense, scored.words)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
    np.testing.assert_allclose(scored.fused, scored.dense + WEIGHT * scored.words)


@given(st.lists(st.lists(_SCORES, min_size=1, max_size=6), min_size=1, max_size=6), st.data())
def test_best_units_are_the_best_rows_but_the_segments_own_and_of_equal_ones_the_first(
    segments: list[list[float]], data: st.DataObject
) -> None:
    flat = np.array([score for segment in segments for score in segment], np.float32)
    offsets = offsets_of([len(segment) for segment in segments]).tolist()
    shown = data.draw(st.permutations(range(len(segments))).map(lambda order: order[:4]))
    table = _table([0] * len(segments), [len(segment) for segment in segments])
    rows, scores = best_units(table, flat.__getitem__, np.array(shown, np.int64), 3)
    for number, segment in enumerate(shown):
        units = range(offsets[segment] + 1, offsets[segment + 1])
        best = sorted(units, key=lambda row: (-flat[row], row))[:3]
        assert rows[number].tolist() == best + [-1] * (3 - len(best))
        assert scores[number, : len(best)].tolist() == flat[best].tolist()


def test_ranked_pages_of_one_score_stay_in_order() -> None:
    zeros = np.zeros(3, np.float32)
    found = ScoredPages(np.array([3, 4, 5]), np.array([7, 8, 9]), zeros, zeros, zeros)
    pages = ranked(found, np.array([0.5, 0.5, 0.75]), np.array([-1, 2, 1]))
    assert (pages.pages.tolist(), pages.segments.tolist()) == ([5, 3, 4], [9, 7, 8])
    assert pages.first(2).scores.tolist() == [0.75, 0.5]
    assert pages.first(2).led_by.tolist() == [1, -1]
    assert ranked(found, zeros).led_by.tolist() == [-1, -1, -1]


def test_more_scored_segments_are_put_in_order() -> None:
    one, two = (
        ScoredSegments(np.array(numbers), np.array(numbers) / 10, np.array(numbers) / 100)
        for numbers in ([1, 5], [3, 7])
    )
    both = one.merged_with(two)
    assert both.segments.tolist() == [1, 3, 5, 7]
    assert both.scores.tolist() == [0.1, 0.3, 0.5, 0.7]
    assert both.best_rows.tolist() == [0.01, 0.03, 0.05, 0.07]

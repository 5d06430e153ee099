from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.runtime.search.segment_scores import ALPHA, TEMPERATURE, segment_scores

_Page = list[list[float]]


def _naive(pages: list[_Page], alpha: float, temperature: float) -> list[float]:
    """HASH-RAG's equation 10, one segment at a time."""
    scores = []
    for page in pages:
        for number in range(len(page)):
            document = page[max(0, number - 1) : number + 2]
            own = sum(rows[0] for rows in document) / len(document)
            members = [row for rows in document for row in rows]
            best = max(members)
            weights = [math.exp((row - best) / temperature) for row in members]
            mean = sum(w * row for w, row in zip(weights, members, strict=True)) / sum(weights)
            scores.append(alpha * own + (1 - alpha) * mean)
    return scores


def _scores(pages: list[_Page], **options: float) -> list[float]:
    segments = [segment for page in pages for segment in page]
    flat = np.array([score for segment in segments for score in segment], np.float32)
    lengths = np.array([len(segment) for segment in segments], np.int64)
    follows = np.array([number > 0 for page in pages for number in range(len(page))])
    found, best = segment_scores(flat, lengths, follows, **options)
    assert best.tolist() == [max(map(np.float32, segment)) for segment in segments]
    return [float(score) for score in found]


_ROWS = st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=5)
_PAGES = st.lists(st.lists(_ROWS, min_size=1, max_size=5), min_size=1, max_size=5)


@given(_PAGES, st.floats(0, 1), st.floats(0.01, 2))
@settings(max_examples=200)
def test_segment_scores_any_rows_agree_with_the_equation(
    pages: list[_Page], alpha: float, temperature: float
) -> None:
    found = _scores(pages, alpha=alpha, temperature=temperature)
    assert found == pytest.approx(_naive(pages, alpha, temperature), abs=1e-5)


@given(_PAGES)
@settings(max_examples=100)
def test_segment_scores_defaults_are_the_documented_ones(pages: list[_Page]) -> None:
    assert _scores(pages) == pytest.approx(_naive(pages, ALPHA, TEMPERATURE), abs=1e-5)


def test_segment_scores_segment_without_units_or_neighbours_has_its_own_score() -> None:
    assert _scores([[[0.25]], [[0.5, 1.0]], [[-0.75]]], alpha=0.3, temperature=1e-4) == (
        pytest.approx([0.25, 0.3 * 0.5 + 0.7 * 1.0, -0.75])
    )


def test_segment_scores_segments_of_other_pages_do_not_matter() -> None:
    page = [[0.1, 0.4], [0.2], [0.3, -0.5]]
    alone = _scores([page])
    assert _scores([[[1.0, 1.0]], page, [[1.0], [-1.0]]])[1:4] == pytest.approx(alone)


def test_segment_scores_only_direct_neighbours_count() -> None:
    one = _scores([[[0.1], [0.2], [0.9], [0.3], [0.4]]])
    other = _scores([[[0.1], [0.2], [0.9], [-0.8], [1.0]]])
    assert one[1] == pytest.approx(other[1])
    assert one[2] != pytest.approx(other[2], abs=1e-3)


def test_segment_scores_number_of_equal_units_does_not_matter() -> None:
    one, many = _scores([[[0.4, 0.4]], [[0.4, 0.4, 0.4, 0.4, 0.4]]])
    assert one == pytest.approx(many)


def test_segment_scores_cold_temperature_takes_the_best_row_only() -> None:
    first, second, third = _scores(
        [[[0.0, 0.9], [0.1, -1.0], [0.2, 0.5]]], alpha=0.0, temperature=1e-4
    )
    assert [first, second, third] == pytest.approx([0.9, 0.9, 0.5])

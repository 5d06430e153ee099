from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.ranking import ALPHA, TEMPERATURE, segment_scores


def _naive(segments: list[list[float]], alpha: float, temperature: float) -> list[float]:
    """HASH-RAG's equation 10, one segment at a time."""
    scores = []
    for own, *units in segments:
        if not units:
            scores.append(own)
            continue
        best = max(units)
        weights = [math.exp((unit - best) / temperature) for unit in units]
        mean = sum(w * u for w, u in zip(weights, units, strict=True)) / sum(weights)
        scores.append(alpha * own + (1 - alpha) * mean)
    return scores


def _scores(segments: list[list[float]], **options: float) -> list[float]:
    flat = np.array([score for segment in segments for score in segment], np.float32)
    lengths = np.array([len(segment) for segment in segments], np.int64)
    found = segment_scores(flat, lengths, **options)
    assert found.dtype == np.float32
    return [float(score) for score in found]


_SEGMENTS = st.lists(
    st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=6), min_size=1, max_size=8
)


@given(_SEGMENTS, st.floats(0, 1), st.floats(0.01, 2))
@settings(max_examples=200, deadline=None)
def test_segment_scores_any_rows_agree_with_the_equation(
    segments: list[list[float]], alpha: float, temperature: float
) -> None:
    found = _scores(segments, alpha=alpha, temperature=temperature)
    assert found == pytest.approx(_naive(segments, alpha, temperature), abs=1e-5)


@given(_SEGMENTS)
@settings(max_examples=100, deadline=None)
def test_segment_scores_defaults_are_the_documented_ones(segments: list[list[float]]) -> None:
    assert _scores(segments) == pytest.approx(_naive(segments, ALPHA, TEMPERATURE), abs=1e-5)


def test_segment_scores_segment_without_units_has_its_own_score() -> None:
    assert _scores([[0.25], [0.5, 1.0], [-0.75]], alpha=0.5) == pytest.approx([0.25, 0.75, -0.75])


def test_segment_scores_number_of_equal_units_does_not_matter() -> None:
    one, many = _scores([[0.1, 0.4], [0.1, 0.4, 0.4, 0.4, 0.4]])
    assert one == pytest.approx(many)


def test_segment_scores_cold_temperature_takes_the_best_unit_only() -> None:
    (score,) = _scores([[0.0, 0.9, 0.1, -1.0]], alpha=0.0, temperature=1e-4)
    assert score == pytest.approx(0.9)

"""Features of rankings against the formulas, one document at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.answering.r2former.list_features import MAX_DOCUMENTS, list_features
from factmill.models.arrays import Floats


def _cosine(a: Floats, b: Floats) -> float:
    lengths = float(np.linalg.norm(a)) * float(np.linalg.norm(b))
    return float(a @ b) / lengths if lengths else 0.0


def _naive(query: Floats, documents: Floats) -> list[list[float]]:
    count = len(documents)
    relevance = [_cosine(query, one) for one in documents]
    weights = np.exp(relevance) / np.exp(relevance).sum()
    found = []
    for i in range(count):
        before = sum((weights[j] * documents[j] for j in range(i)), np.zeros_like(query))
        adjacent = [j for j in (i - 1, i + 1) if 0 <= j < count]
        near = [_cosine(documents[i], documents[j]) for j in adjacent]
        found.append(
            [relevance[i], _cosine(documents[i], before), sum(near) / len(near) if near else 0.0]
        )
    return found


@settings(max_examples=60)
@given(st.integers(1, MAX_DOCUMENTS), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_features_are_those_of_the_formulas(count: int, dimension: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    query = draw.standard_normal(dimension).astype(np.float32)
    documents = draw.standard_normal((count, dimension)).astype(np.float32)
    documents[draw.random(count) < 0.1] = 0

    found = list_features(query, documents)

    assert found.dtype == np.float32
    assert found == pytest.approx(np.array(_naive(query, documents)), abs=2e-5)


def test_a_single_document_has_neither_precedents_nor_neighbours() -> None:
    vector = np.array([3.0, 4.0], np.float32)

    assert list_features(vector, vector[None]).tolist() == [[1.0, 0.0, 0.0]]


def test_no_document_has_no_features() -> None:
    assert list_features(np.ones(2, np.float32), np.empty((0, 2), np.float32)).shape == (0, 3)


def test_precedents_are_weighed_by_their_relevance() -> None:
    query = np.array([1.0, 0.0], np.float32)
    documents = np.array([[1, 0], [0, 1], [1, 0]], np.float32)
    # Weights e and 1: the sum of what precedes leans towards the first document.
    leaning = np.e / np.hypot(np.e, 1)

    assert list_features(query, documents)[2, 1] == pytest.approx(leaning, abs=1e-6)


def test_a_list_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="101 documents"):
        list_features(np.ones(1, np.float32), np.ones((MAX_DOCUMENTS + 1, 1), np.float32))

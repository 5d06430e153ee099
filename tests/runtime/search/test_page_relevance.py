"""Features of ranked pages, and the order and probabilities that an R2-Former gives them."""

from __future__ import annotations

import numpy as np
import pytest

from factmill.models.answering.r2former.list_features import list_features
from factmill.models.answering.r2former.page_features import PAGE_FEATURES
from factmill.runtime.index import Index
from factmill.runtime.search.page_relevance import JUDGED, judged_order
from factmill.runtime.search.pages import Pages
from factmill.schemas.errors import ModelMismatch
from tests.models.answering.r2former.tiny_r2former import tiny_r2former
from tests.runtime.tiny_build import random_head, tiny_build, tiny_index

QUERY = "When was the bridge built?"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    index = tiny_index(tiny_build(tmp_path_factory.mktemp("relevance") / "store"))
    index.r2former = tiny_r2former(encoder=random_head().encoder, features=list(PAGE_FEATURES))
    return index


def test_features_are_those_of_each_page_and_its_best_row(index: Index) -> None:
    (query,) = index.encode([QUERY])
    pages = index.page_search.pages(query, 20)
    row_scores = index._searcher.row_scores(query)
    table = index._searcher.table
    best, expected = [], []
    for page, segment, score, dense, words, led_by in zip(
        pages.pages, pages.segments, pages.scores, pages.dense, pages.words, pages.led_by,
        strict=True,
    ):  # fmt: skip
        ((first,), (count,)) = table.row_ranges(np.array([segment]))
        scores = row_scores(np.arange(first, first + count))
        best.append(first + int(scores.argmax()))
        expected.append(
            [
                pages.scores[0] - score, dense, words, scores.max(), scores[0], best[-1] != first,
                np.log1p(segment - table.of_page(int(page))[0]), led_by >= 0,
            ]
        )  # fmt: skip
    codes = np.stack([index._searcher.codes_of(np.array([row]))[0] for row in best])
    signs = 2 * np.unpackbits(codes, axis=1).astype(np.float32) - 1

    found = index.page_features(query, pages)

    assert found.shape == (len(pages), len(PAGE_FEATURES))
    assert found[:, :3] == pytest.approx(list_features(query.projected, signs), abs=1e-5)
    assert found[:, 3:] == pytest.approx(np.array(expected, np.float64), abs=1e-5)


def test_a_search_says_how_relevant_its_pages_are(index: Index) -> None:
    (query,) = index.encode([QUERY])
    pages = index.page_search.pages(query, 20)
    log_odds = index.r2former.relevance(index.page_features(query, pages.first(JUDGED)))
    plain = index.search(QUERY, 5)

    hits = index.search(QUERY, 5, relevance=True)

    assert [hit.relevance for hit in plain] == [None] * len(plain)
    assert "relevance" not in plain[0].as_json()
    order = judged_order(pages, log_odds)
    expected = 1 / (1 + np.exp(-log_odds[order[:5]]))
    assert [hit.relevance for hit in hits] == pytest.approx(expected.tolist(), abs=1e-4)
    assert hits[0].as_json()["relevance"] == hits[0].relevance
    assert [hit.rank for hit in hits] == [1, 2, 3, 4, 5]


def test_the_model_of_another_encoder_is_refused(index: Index) -> None:
    other = tiny_index(index.build)

    with pytest.raises(ModelMismatch, match="trained with encoder"):
        other.search(QUERY, relevance=True)


def _pages(scores: list[float]) -> Pages:
    numbers = np.arange(len(scores))
    values = np.array(scores)
    return Pages(numbers, numbers, values, numbers, values, values.astype(np.float32))


def test_log_odds_count_a_little_and_no_page_passes_one_that_was_not_judged() -> None:
    pages = _pages([0.9, 0.899, 0.5, 0.4999, 0.4998])

    assert judged_order(pages, np.array([-1.0, 1.0, 0.0])).tolist() == [1, 0, 2, 3, 4]
    assert judged_order(pages, np.array([0.0, 9e9, 9e9])).tolist() == [1, 0, 2, 3, 4]
    assert judged_order(pages, np.array([])).tolist() == [0, 1, 2, 3, 4]


def test_a_search_that_finds_nothing_judges_nothing(index: Index) -> None:
    (query,) = index.encode([QUERY])

    found, log_odds = index.judged(query, index.page_search.pages(query, 20).first(0))

    assert len(found) == len(log_odds) == 0


def test_a_page_without_units_has_the_vector_of_its_segment(index: Index) -> None:
    (query,) = index.encode([QUERY])
    pages = index.page_search.pages(query, 20).first(2)
    own, _ = index._searcher.table.row_ranges(pages.segments)
    units = np.array([[-1, -1], [own[1] + 1, -1]])

    _, vectors = index._relevance.unit_vectors(query, units, pages)

    expected, _ = index._relevance.vectors(query, np.array([own[0], own[1] + 1]))
    assert [len(of_page) for of_page in vectors] == [1, 1]
    assert np.concatenate(vectors).tolist() == expected.tolist()

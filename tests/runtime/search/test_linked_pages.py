from __future__ import annotations

import numpy as np
import pytest

from factmill.models.links.link_scorer import FEATURES
from factmill.runtime.search.linked_pages import AskedPages, Links, best_sources, link_features
from factmill.runtime.search.pages import ScoredPages


def _scored(*fused: float) -> ScoredPages:
    count = len(fused)
    dense, words = np.array(fused) - 0.1, np.full(count, 5, np.float32)
    return ScoredPages(np.arange(count) * 3, np.arange(count), dense, words, np.array(fused))


def _asked(pages: dict[int, float], query_nats: float = 20.0) -> AskedPages:
    nats = np.array(list(pages.values()), np.float32)
    return AskedPages(np.array(list(pages), np.int64), nats, float(nats.sum()), query_nats)


def _links(*links: tuple[int, int, int, float, float]) -> Links:
    """Of source, target, segment, nats and fit."""
    columns = list(zip(*links, strict=True)) if links else 5 * [()]
    numbers = [np.array(column, np.int64) for column in columns[:3]]
    return Links(*numbers, *(np.array(column, np.float32) for column in columns[3:]))


def _rows(found: tuple[np.ndarray, np.ndarray, np.ndarray]) -> dict[int, dict[str, float]]:
    positions, matrix, segments = found
    assert matrix.shape == (len(positions), len(FEATURES))
    return {
        position: dict(zip(FEATURES, row, strict=True)) | {"segment": segment}
        for position, row, segment in zip(
            positions.tolist(), matrix.tolist(), segments.tolist(), strict=True
        )
    }


def test_features_of_nothing_named_are_none() -> None:
    assert _rows(link_features(_scored(0.5, 0.4), _asked({}), _links())) == {}


def test_features_of_a_page_that_the_query_names() -> None:
    rows = _rows(link_features(_scored(0.5, 0.4, 0.45), _asked({1: 10.0}), _links()))
    assert list(rows) == [1]
    expected = {
        "fused": -0.1, "dense": 0.3, "words": 0.25, "prior": 0.0, "rank": 0.0, "asked_nats": 10.0,
        "asked_share": 0.5, "asked_covered": 0.5, "asked_pages": 1, "query_nats": 20.0,
        "best_dense": 0.4, "best_words": 0.25, "lead": 0.05, "linked": 0, "links": 0,
        "asked_links": 0, "source_prior": 0, "link_nats": 0, "segment": -1,
    }  # fmt: skip
    assert {name: rows[1][name] for name in expected} == pytest.approx(expected, abs=1e-6)


def test_features_of_a_linked_page_are_those_of_its_best_link() -> None:
    scored = _scored(0.5, 0.4, 0.1, 0.2)
    links = _links((0, 2, 70, 4.0, -0.1), (1, 2, 71, 4.0, -0.3), (1, 2, 72, 4.0, -0.3))
    rows = _rows(link_features(scored, _asked({1: 10.0}), links))
    assert list(rows) == [1, 2]
    # Page 1 is asked for: its prior of 0.9 is the best, page 0 has 0.5.
    expected = {
        "linked": 1, "source_prior": 0.0, "source_fused": -0.1, "source_share": 0.5,
        "source_rank": 0.0, "source_links": np.log(2), "link_nats": 4.0, "link_fit": -0.3,
        "links": np.log(3), "asked_links": 1, "fused": -0.4, "prior": -0.8, "rank": np.log(4),
        "asked_nats": 0,
    }  # fmt: skip
    assert {name: rows[2][name] for name in expected} == pytest.approx(expected, abs=1e-6)
    assert rows[2]["segment"] in (71, 72)


def test_features_of_links_of_equal_pages_are_those_of_the_rarer_name() -> None:
    links = _links((0, 2, 70, 3.0, 0.0), (1, 2, 71, 8.0, 0.0))
    rows = _rows(link_features(_scored(0.5, 0.5, 0.1), _asked({}), links))
    assert (rows[2]["segment"], rows[2]["link_nats"]) == (71, 8.0)


def test_a_very_rare_name_does_not_outweigh_a_better_page() -> None:
    links = _links((0, 2, 70, 10.0, 0.0), (1, 2, 71, 30.0, 0.0))
    rows = _rows(link_features(_scored(0.5, 0.4, 0.1), _asked({}), links))
    assert rows[2]["segment"] == 70


def test_best_sources_are_the_best_pages_and_those_that_the_query_names() -> None:
    scored = _scored(0.1, 0.5, 0.2, 0.4, 0.3)
    assert best_sources(scored, _asked({}), 2).tolist() == [1, 3]
    assert best_sources(scored, _asked({0: 3.0}), 2).tolist() == [0, 1, 3]
    many = _scored(*np.linspace(0, 0.5, 30).tolist())
    asked = _asked({page: 1.0 + page for page in range(20)})
    assert best_sources(many, asked, 1).tolist() == [*range(16, 20), 29]
    assert best_sources(scored, _asked({0: 1.9, 4: 2.1}), 1).tolist() == [1, 4]

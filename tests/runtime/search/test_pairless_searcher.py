"""A search without QA pairs: their rows tell nothing, all others what they told."""

from __future__ import annotations

import numpy as np
import pytest

from factmill.runtime.index import Index
from factmill.schemas.index_files import ROW_KINDS
from tests.runtime.tiny_build import tiny_build, tiny_index


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return tiny_index(tiny_build(tmp_path_factory.mktemp("pairless") / "store"))


def test_rows_of_pairs_score_below_all_others(index: Index) -> None:
    (query,) = index.encode(["When was the bridge built?"])
    rows = np.arange(index._searcher.table.rows)
    pairs = index._searcher._kinds.take(rows) == ROW_KINDS.index("qa_pair")

    seen = index._searcher.row_scores(query)(rows)
    without = index.without_pairs()._searcher.row_scores(query)(rows)

    assert 0 < pairs.sum() < len(rows)
    assert np.array_equal(without[~pairs], seen[~pairs])
    assert without[pairs].max() < without[~pairs].min()


def test_scores_of_pages_stay_finite_and_pairs_raise_none(index: Index) -> None:
    (query,) = index.encode(["When was the bridge built?"])

    seen = index.page_search.pages(query, 20)
    without = index.without_pairs().page_search.pages(query, 20)

    assert sorted(without.pages) == sorted(seen.pages)
    assert np.isfinite(without.scores).all()
    assert without.dense.max() <= seen.dense.max()

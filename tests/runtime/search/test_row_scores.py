from __future__ import annotations

import numpy as np
import pytest

from factmill.runtime.search.row_scores import Query, byte_sums, code_scores
from tests.hash_heads import asymmetric_scores

_WIDTHS = [1, 2, 3, 8, 15, 16, 17, 31, 48, 50, 96, 256, 257]


@pytest.mark.parametrize("width", _WIDTHS)
def test_code_scores_agree_with_the_product(width: int) -> None:
    random = np.random.default_rng(width)
    codes = random.integers(0, 256, (50, width), dtype=np.uint8)
    vector = random.standard_normal(8 * width, dtype=np.float32)
    expected = asymmetric_scores(vector, codes)
    assert code_scores(byte_sums(vector), codes) == pytest.approx(expected, abs=1e-3)
    assert code_scores(byte_sums(vector), codes[:0]).shape == (0,)


def test_query_has_the_code_of_its_signs() -> None:
    projected = np.array([1, -1, 0.5, -2, 0, 3, -1, -1], np.float32)
    query = Query.of("who?", np.ones(3, np.float32), projected)
    assert query.code.tolist() == [0b10100100]
    assert code_scores(query.sums, query.code[None]).tolist() == [np.abs(projected).sum()]

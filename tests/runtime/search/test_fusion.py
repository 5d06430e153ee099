from __future__ import annotations

import numpy as np
import pytest

from factmill.runtime.search.fusion import LONG, WEIGHT, fused


def _floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_fused_without_known_words_is_dense() -> None:
    dense = _floats(0.7, -0.2, 0.1)
    np.testing.assert_array_equal(fused(dense, _floats(0, 0, 0), 0.0), dense)


def test_fused_adds_the_weighted_words() -> None:
    found = fused(_floats(0.5, 0.5, 0.4), _floats(0, 10, 20), 30.0)
    np.testing.assert_allclose(found, [0.5, 0.5 + 10 * WEIGHT, 0.4 + 20 * WEIGHT], rtol=1e-6)


@pytest.mark.parametrize("times", [2.0, 50.0])
def test_fused_words_of_a_long_query_weigh_no_more_than_those_of_one_just_long(
    times: float,
) -> None:
    dense = _floats(0.5, 0.4)
    just = fused(dense, _floats(10, 40), LONG)
    np.testing.assert_allclose(fused(dense, _floats(10, 40) * times, LONG * times), just, rtol=1e-5)


def test_fused_of_pages_found_by_one_ranking_each_may_beat_neither() -> None:
    both = fused(_floats(0.6, 0.3, 0.55), _floats(0, 15, 15), 30.0)
    assert both.argmax() == 2

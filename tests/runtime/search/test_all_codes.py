from __future__ import annotations

import numpy as np
import pytest

from factmill.runtime.search import all_codes as module
from factmill.runtime.search.all_codes import all_codes, padded


@pytest.mark.parametrize(("width", "copied"), [(2, 4), (16, 16), (48, 64), (70, 70)])
def test_codes_are_copied_as_wide_as_is_fast(width: int, copied: int) -> None:
    random = np.random.default_rng(width)
    shards = [random.integers(1, 256, (n, width), dtype=np.uint8) for n in (3, 0, 6)]
    codes = all_codes(shards, 2)
    assert [len(part) for part in codes.parts] == [5, 4]
    found = codes.take(np.arange(9))
    assert found.shape == (9, copied)
    assert np.array_equal(found[:, :width], np.concatenate(shards))
    assert not found[:, width:].any()


def test_too_many_codes_stay_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES_COPIED", 63)
    shards = [np.zeros((8, 8), np.uint8)]
    assert all_codes(shards, 2).parts[0] is shards[0]


def test_padded_codes_of_the_same_width_are_not_copied() -> None:
    codes = np.ones((2, 4), np.uint8)
    assert padded(codes, 4) is codes

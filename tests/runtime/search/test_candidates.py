from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from factmill.models.arrays import Codes, Integers
from factmill.runtime.search import candidates
from factmill.runtime.search.candidates import Candidates, Effort
from factmill.runtime.search.index_shard import InvertedLists
from factmill.runtime.search.probed_lists import ProbedLists, nearest_codes
from factmill.runtime.search.row_scores import Query, code_scores
from factmill.runtime.search.sharded import ShardedArray
from factmill.schemas.errors import CorruptStore
from tests.hash_heads import asymmetric_scores


@dataclass(frozen=True)
class CodesOnly:
    """What `Candidates` reads of a shard."""

    folder: Path
    codes: Codes
    inverted_lists: InvertedLists | None = None


def _shard(codes: Codes, inverted_lists: InvertedLists | None = None) -> Any:
    return CodesOnly(Path("store/shard"), codes, inverted_lists)


def _inverted(codes: Codes, list_of: Integers, clusters: int) -> InvertedLists:
    rows = np.argsort(list_of, kind="stable").astype(np.int32)
    offsets = np.searchsorted(list_of[rows], np.arange(clusters + 1)).astype(np.int32)
    return InvertedLists(offsets, rows, np.ascontiguousarray(codes[rows, :16]))


def _counted(codes: Codes, code: Codes) -> list[int]:
    found: list[int] = np.unpackbits(codes ^ code, axis=1).sum(axis=1, dtype=np.int64).tolist()
    return found


def _query(random: np.random.Generator, width: int) -> Query:
    projected = random.standard_normal(8 * width, dtype=np.float32)
    return Query.of("", projected, projected)


def _rows_found(shards: list[Codes], query: Query, kept: int, slices: int) -> Integers:
    codes = ShardedArray(shards)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(candidates, "MIN_ROWS", kept)
        monkeypatch.setattr(candidates, "ROWS_PER_PAGE", 0)
        return Candidates([_shard(one) for one in shards], None, slices).rows(
            query, 1, Effort(1, 1, 9), lambda rows: code_scores(query.sums, codes.take(rows)), map
        )


@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=4),
    st.integers(1, 60),
    st.integers(1, 3),
    st.integers(0, 2**32),
)
@settings(max_examples=60)
def test_rows_are_those_of_all_shards_with_the_best_scores(
    sizes: list[int], kept: int, slices: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    shards = [random.integers(0, 256, (n, 2), dtype=np.uint8) for n in sizes]
    query = _query(random, 2)
    found = _rows_found(shards, query, kept, slices)
    scores = asymmetric_scores(query.projected, np.concatenate(shards))
    assert found.tolist() == sorted(set(found.tolist()))
    assert len(found) == min(kept, len(scores))
    best = np.sort(scores)[::-1][: len(found)]
    # FAISS rounds what each four bits give.
    np.testing.assert_allclose(np.sort(scores[found])[::-1], best, atol=0.5)


def test_rows_of_many_codes_are_found_by_half_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = np.zeros((40, 2), np.uint8)
    # Whose first byte is best, and whose whole code is best of these.
    codes[5:9, 0], codes[7, 1] = 0b11111111, 0b11111111
    # Better than all of them, but not by its first byte.
    codes[20] = 0, 0b11111111
    projected = np.repeat(np.array([1, 5], np.float32), 8)
    query = Query.of("", projected, projected)
    assert _rows_found([codes], query, 2, 1).tolist() == [7, 20]
    monkeypatch.setattr(candidates, "MAX_BYTES_IN_MEMORY", codes.nbytes - 1)
    halves = Candidates([_shard(codes)], None, 1)
    monkeypatch.setattr(candidates, "MIN_ROWS", 1)
    found = halves.rows(
        query, 0, Effort(1, 1, 4), lambda rows: code_scores(query.sums, codes[rows]), map
    )
    assert found.tolist() == [7]


@pytest.mark.parametrize(("wanted", "found"), [(3, [0, 1, 2]), (20, list(range(20)))])
def test_rows_come_from_more_inverted_lists_if_the_probed_ones_have_too_few(
    monkeypatch: pytest.MonkeyPatch, wanted: int, found: list[int]
) -> None:
    monkeypatch.setattr(candidates, "MIN_ROWS", wanted)
    list_of = np.arange(30) // 3
    centroids, codes = np.zeros((10, 2), np.uint8), np.zeros((30, 2), np.uint8)
    centroids[0], codes[:20] = 0b11111111, 0b11111111
    query = Query.of("", *2 * (np.ones(16, np.float32),))

    rows = Candidates([_shard(codes, _inverted(codes, list_of, 10))], centroids, 1).rows(
        query, 0, Effort(1, 1, 1), lambda rows: code_scores(query.sums, codes[rows]), map
    )

    assert rows.tolist() == found


@given(
    st.lists(st.integers(0, 120), min_size=1, max_size=3),
    st.sampled_from([2, 16, 24]),
    st.integers(1, 60),
    st.integers(1, 6),
    st.integers(0, 2**32),
)
@example([28, 60], 2, 2, 2, 28)
@settings(max_examples=60)
def test_nearest_are_the_rows_of_the_probed_lists_with_the_nearest_short_codes(
    sizes: list[int], width: int, wanted: int, nprobe: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    centroids = random.integers(0, 256, (4, width), dtype=np.uint8)
    codes = [random.integers(0, 4, (n, width), dtype=np.uint8) for n in sizes]
    list_of = [random.integers(0, 4, n) for n in sizes]
    shards = [
        _shard(one, _inverted(one, numbers, 4)) for one, numbers in zip(codes, list_of, strict=True)
    ]
    query = _query(random, width)

    found = ProbedLists(shards, centroids).nearest(query, nprobe, wanted)

    scores = asymmetric_scores(query.projected, centroids)
    ranked = np.argsort(-scores)
    # The scan rounds what each four bits give to 8 bits.
    spans = 2 * np.abs(query.projected[: 8 * width]).reshape(-1, 4).sum(axis=1)
    close = len(spans) * spans.max() / 255
    assume(nprobe >= 4 or scores[ranked[nprobe - 1]] - scores[ranked[nprobe]] > close)
    probed = np.isin(np.concatenate(list_of), ranked[:nprobe])
    away = np.array(_counted(np.concatenate(codes)[:, :16], query.code[:16]), np.int64)
    assert len(found) == len(set(found.tolist()))
    assert probed[found].all()
    assert sorted(away[found].tolist()) == sorted(away[probed].tolist())[:wanted]


@pytest.mark.parametrize(
    ("column", "value", "named"),
    [("rows", -1, "row"), ("rows", 9, "row"), ("offsets", -1, "list"), ("offsets", 99, "list")],
)
def test_inverted_lists_that_name_what_is_not_there_are_a_corrupt_store(
    column: str, value: int, named: str
) -> None:
    codes = np.zeros((9, 8), np.uint8)
    inverted = _inverted(codes, np.zeros(9, np.int64), 1)
    getattr(inverted, column)[0] = value
    query = _query(np.random.default_rng(0), 8)
    with pytest.raises(CorruptStore, match=f"a missing .*{named}"):
        ProbedLists([_shard(codes), _shard(codes, inverted)][1:], codes[:1]).nearest(query, 1, 9)


@given(st.integers(0, 40), st.integers(1, 50), st.integers(0, 2**32))
@settings(max_examples=60)
def test_nearest_codes_are_in_order_and_of_equally_near_ones_the_first(
    size: int, count: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    codes = random.integers(0, 4, (size, 1), dtype=np.uint8)
    code = random.integers(0, 4, 1, dtype=np.uint8)
    positions = nearest_codes(codes, code, count)
    expected = sorted(zip(_counted(codes, code), range(size), strict=True))[:count]
    assert positions.tolist() == [position for _, position in expected]

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from factmill.schemas.index_files import CENTROIDS
from factmill.schemas.layout import INDEX, BuildDir
from factmill.transforms.index import centroids
from factmill.transforms.index.centroids import (
    FindCentroids,
    list_count,
    nearest_centroids,
    read_centroids,
    train_centroids,
)
from tests.runtime.tiny_build import random_head, write_tables, write_vectors

Codes = np.ndarray


def _clusters(count: int, members: int, flips: int) -> tuple[Codes, Codes]:
    """Codes of 64 bits around `count` random ones, each with a few bits flipped."""
    random = np.random.default_rng(4)
    middles = random.integers(0, 2, (count, 64))
    codes = np.repeat(middles, members, axis=0)
    for code in codes:
        code[random.choice(64, flips, replace=False)] ^= 1
    return np.packbits(codes, axis=1), np.packbits(middles, axis=1)


def _distances(one: Codes, other: Codes) -> np.ndarray:
    differing = np.unpackbits(one[:, None] ^ other[None], axis=2)
    return differing.sum(axis=2, dtype=np.int64)


def test_train_centroids_of_clusters_are_nearer_than_codes_drawn_by_chance() -> None:
    codes, middles = _clusters(20, 50, 5)
    found = train_centroids(codes, 40)
    assert found.shape == (40, 8)
    assert _distances(codes, found).min(axis=1).mean() < 5.5
    assert _distances(middles, found).min(axis=1).mean() < 1


def test_train_centroids_again_are_the_same_and_another_seed_gives_others() -> None:
    codes, _ = _clusters(10, 30, 9)
    assert np.array_equal(train_centroids(codes, 16), train_centroids(codes, 16))
    assert not np.array_equal(train_centroids(codes, 16), train_centroids(codes, 16, seed=1))


def test_train_centroids_of_equal_codes_leaves_no_centroid_out() -> None:
    codes = np.full((50, 8), 7, np.uint8)
    assert np.array_equal(train_centroids(codes, 5), codes[:5])


def test_majorities_agree_with_counting() -> None:
    random = np.random.default_rng(5)
    codes = random.integers(0, 256, (300, 3), dtype=np.uint8)
    cluster = random.integers(0, 290, 300)
    found, empty = centroids._majorities(codes, cluster, 290)
    assert list(empty) == sorted(set(range(290)) - set(cluster))
    for number in set(cluster):
        bits = np.unpackbits(codes[cluster == number], axis=1)
        assert np.array_equal(np.unpackbits(found[number]), bits.mean(axis=0) > 0.5)


def test_nearest_centroids_agree_with_counting() -> None:
    codes, middles = _clusters(7, 9, 12)
    distances = _distances(codes, middles)
    found = nearest_centroids(codes, middles)
    assert list(distances[np.arange(len(codes)), found]) == list(distances.min(axis=1))


@pytest.mark.parametrize(
    ("rows", "count"), [(0, 0), (1_000_000, 0), (1_000_001, 8192), (10_000_000, 32768)]
)
def test_list_count_grows_with_the_root_of_the_rows(rows: int, count: int) -> None:
    assert list_count(rows) == count


@pytest.fixture
def build(tmp_path: Path) -> BuildDir:
    return _with_vectors(tmp_path / "one")


def _with_vectors(root: Path, seed: int = 7) -> BuildDir:
    build = BuildDir(root)
    write_tables(build)
    head = random_head(seed)
    head.save(build.hash_head)
    write_vectors(build, head)
    return build


def _path(build: BuildDir) -> Path:
    return build.root / INDEX / CENTROIDS


def test_find_centroids_of_few_rows_writes_none(build: BuildDir) -> None:
    assert FindCentroids(build, 2, None)(0).records_out == 0
    assert not _path(build).exists()


def test_find_centroids_are_those_of_the_codes(
    build: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(centroids, "list_count", lambda _: 4)
    assert FindCentroids(build, 2, None)(0).records_out == 4
    found = read_centroids(_path(build))
    FindCentroids(build, 2, None)(0)
    assert len(found) == 4
    assert np.array_equal(read_centroids(_path(build)), found)


def test_find_centroids_takes_over_the_parents_if_codes_mean_the_same(
    tmp_path: Path, build: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(centroids, "list_count", lambda _: 4)
    monkeypatch.setattr(centroids, "_SEED", 1)
    parent = _with_vectors(tmp_path / "parent")
    odd = np.arange(32, dtype=np.uint8).reshape(4, 8)
    centroids.write_codes(_path(parent), odd)
    FindCentroids(build, 2, parent)(0)
    assert np.array_equal(read_centroids(_path(build)), odd)
    random_head(8).save(build.hash_head)
    FindCentroids(build, 2, parent)(0)
    assert not np.array_equal(read_centroids(_path(build)), odd)

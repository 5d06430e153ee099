"""The centroids of a large index: codes such that each row's code is near one of them.

They come from k-means with Hamming distance, where the mean of codes is the majority of each bit.
It takes a fiftieth of the time of k-means over floats, and the inverted lists probed for a query
contain the wanted rows as often (docs/log.md). All shards share the centroids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import faiss
import numpy as np

from factmill.models.arrays import Codes, Integers
from factmill.schemas.index_files import CENTROIDS
from factmill.schemas.layout import INDEX, BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.storage.paths import StoragePath, local_copy
from factmill.schemas.tables import VECTORS
from factmill.transforms.tasks.shard_files import count_rows, read_batches

CENTROIDS_STEP = "centroids"
# Up to this many rows, reading all codes is fast enough, and exact.
MAX_ROWS_WITHOUT_INVERTED_LISTS = 1_000_000
# The number of centroids is about this many times the square root of the rows, a power of two.
_LISTS_PER_ROOT = 8
_SAMPLE_PER_LIST = 16
_ROUNDS = 6
_SEED = 0
# Clusters whose bits are unpacked at a time.
_CLUSTERS_AT_ONCE = 256


def list_count(rows: int) -> int:
    """The number of inverted lists for a build with this many rows; 0 for none."""
    if rows <= MAX_ROWS_WITHOUT_INVERTED_LISTS:
        return 0
    return 1 << round(float(np.log2(_LISTS_PER_ROOT * rows**0.5)))


def train_centroids(sample: Codes, count: int, seed: int = _SEED) -> Codes:
    """`count` centroids of a sample of at least as many codes; deterministic."""
    random = np.random.default_rng(seed)
    centroids = sample[random.choice(len(sample), count, replace=False)]
    for _ in range(_ROUNDS):
        nearest = nearest_centroids(sample, centroids)
        centroids, empty = _majorities(sample, nearest, count)
        centroids[empty] = sample[random.choice(len(sample), len(empty), replace=False)]
    return centroids


def nearest_centroids(codes: Codes, centroids: Codes) -> Integers:
    """The number of the nearest centroid of each code."""
    index = faiss.IndexBinaryFlat(8 * centroids.shape[1])
    index.add(centroids)
    if not len(codes):
        return np.empty(0, np.int64)
    found: Integers = index.search(np.ascontiguousarray(codes), 1)[1][:, 0]
    return found


def _majorities(codes: Codes, cluster: Integers, count: int) -> tuple[Codes, Integers]:
    """The majority of each bit in each cluster, and which clusters are empty."""
    order = np.argsort(cluster, kind="stable")
    starts = np.searchsorted(cluster[order], np.arange(count + 1))
    sizes = np.diff(starts)
    result = np.zeros((count, codes.shape[1]), np.uint8)
    for first in range(0, count, _CLUSTERS_AT_ONCE):
        numbers = np.arange(first, min(first + _CLUSTERS_AT_ONCE, count))
        numbers = numbers[sizes[numbers] > 0]
        if len(numbers):
            members = order[starts[first] : starts[numbers[-1] + 1]]
            bits = np.unpackbits(codes[members], axis=1)
            ones = np.add.reduceat(bits, starts[numbers] - starts[first], axis=0, dtype=np.int64)
            result[numbers] = np.packbits(2 * ones > sizes[numbers, None], axis=1)
    return result, np.flatnonzero(sizes == 0)


def read_centroids(path: StoragePath) -> Codes:
    """The centroids of a build."""
    index: Any = faiss.read_index_binary(str(local_copy(path)))
    found: Codes = faiss.vector_to_array(index.xb).reshape(index.ntotal, index.code_size)
    return found


def write_codes(path: StoragePath, codes: Codes) -> None:
    """Write codes as a FAISS binary flat index, atomically."""
    index = faiss.IndexBinaryFlat(8 * codes.shape[1])
    index.add(np.ascontiguousarray(codes))
    with whole_file(path) as temporary:
        faiss.write_index_binary(index, str(temporary))


@dataclass(frozen=True, slots=True)
class FindCentroids:
    """Write the build's centroids; none for a small build. The parent's are reused if they fit: its
    rows then stay in the same inverted lists.
    """

    build: BuildDir
    shards: int
    parent: BuildDir | None

    def __call__(self, _task: int) -> StageCounts:
        rows = count_rows(self.build, VECTORS, self.shards)
        count = list_count(rows)
        if count:
            centroids = self._inherited(count)
            if centroids is None:
                sample = self._sample(rows, count * _SAMPLE_PER_LIST)
                centroids = train_centroids(sample, count)
            write_codes(self.build.root / INDEX / CENTROIDS, centroids)
        return StageCounts(count, count)

    def _inherited(self, count: int) -> Codes | None:
        """The parent's centroids, if their number is right and its codes mean the same."""
        path = self.parent.root / INDEX / CENTROIDS if self.parent else None
        if self.parent is None or path is None or not path.is_file():
            return None
        if self.parent.hash_head.read_bytes() != self.build.hash_head.read_bytes():
            return None
        centroids = read_centroids(path)
        return centroids if len(centroids) == count else None

    def _sample(self, rows: int, wanted: int) -> Codes:
        """Codes of rows drawn at random from all shards."""
        chosen = np.random.default_rng(_SEED).choice(rows, min(wanted, rows), replace=False)
        chosen.sort()
        found: list[bytes] = []
        before = 0
        for shard in range(self.shards):
            for batch in read_batches(self.build.part(VECTORS, shard), ["code"]):
                low, high = np.searchsorted(chosen, [before, before + batch.num_rows])
                found.extend(batch["code"].take(chosen[low:high] - before).to_pylist())
                before += batch.num_rows
        return np.frombuffer(b"".join(found), np.uint8).reshape(len(found), -1)

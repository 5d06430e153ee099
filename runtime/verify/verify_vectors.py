"""Checks a sample of a shard's vectors: unit length, and codes that match the build's head."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow.parquet as pq

from factmill.models.codes.hash_head import HashHead
from factmill.schemas.layout import BuildDir
from factmill.schemas.tables import VECTORS

_VECTORS = 256
# A bit near zero may flip on another machine, and a few others with it; the codes of another head
# differ in half of all bits.
_MAX_BITS_OFF = 0.05
_LENGTH_OFF = 0.02


def vector_faults(build: BuildDir, shard: int, head: HashHead) -> Iterator[str]:
    """The faults of the shard's first vectors."""
    with pq.ParquetFile(build.part(VECTORS, shard)) as file:
        batch = next(file.iter_batches(batch_size=_VECTORS, columns=["code", "embedding"]), None)
    if batch is None or not batch.num_rows:
        return
    flat = batch["embedding"].flatten().to_numpy(zero_copy_only=False)
    vectors = flat.reshape(batch.num_rows, -1).astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.all(np.abs(lengths - 1) <= _LENGTH_OFF):
        yield f"{VECTORS} shard {shard}: an embedding is not of unit length"
        return
    stored = np.frombuffer(b"".join(batch["code"].to_pylist()), np.uint8)
    expected = head.codes(vectors)
    off = np.unpackbits(stored.reshape(expected.shape) ^ expected).mean()
    if off > _MAX_BITS_OFF:
        yield f"{VECTORS} shard {shard}: {off:.0%} of the bits are not those of the hash head"

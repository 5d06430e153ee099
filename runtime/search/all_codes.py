"""The codes of all shards, as they are compared with a query's.

Where no inverted lists lead to few of them, every query compares all codes, so these are copied
into memory at the first query: one array takes FAISS half the time of an array of each shard. Codes
of 48 bytes are padded to 64, for which FAISS has a loop that takes another third less.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from factmill.runtime.search.row_scores import Codes
from factmill.runtime.search.sharded import ShardedArray

# Enough for a million rows of 64 bytes. Of more, each shard's stay where its file is mapped.
MOST_BYTES_COPIED = 64_000_000
# For codes of these widths in bytes FAISS has loops of their own.
_FAST_WIDTHS = (4, 8, 16, 20, 32, 64)


def all_codes(of_shards: Sequence[Codes], slices: int) -> ShardedArray[np.uint8]:
    """The codes of all shards in one copy, seen as so many `slices`; as they are when the copy
    would be too large."""
    width = of_shards[0].shape[1]
    width = next((fast for fast in _FAST_WIDTHS if fast >= width), width)
    if width * sum(map(len, of_shards)) > MOST_BYTES_COPIED:
        return ShardedArray(of_shards)
    copy = np.concatenate([padded(codes, width) for codes in of_shards])
    return ShardedArray(np.array_split(copy, slices))


def padded(codes: Codes, width: int) -> Codes:
    """Codes of so many bytes each, with zeros behind their own."""
    if codes.shape[1] == width:
        return codes
    wider = np.zeros((len(codes), width), np.uint8)
    wider[:, : codes.shape[1]] = codes
    return wider

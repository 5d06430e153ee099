"""Keys: a shard and a position in it (of a row, a segment or a page), in one sortable number."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.int64]
_Numbers = TypeVar("_Numbers", int, Keys)

SHARD_SHIFT = 32
POSITION = (1 << SHARD_SHIFT) - 1


def key_of(shard: int, position: _Numbers) -> _Numbers:
    """The key of a position, or those of many in one shard."""
    return (shard << SHARD_SHIFT) + position


def shard_of(key: _Numbers) -> _Numbers:
    """The shard of a key, or of each of many."""
    return key >> SHARD_SHIFT


def position_of(key: _Numbers) -> _Numbers:
    """The position of a key in its shard, or those of many."""
    return key & POSITION


def without(keys: Keys, known: Keys) -> Keys:
    """The keys that are not among the known ones, which are sorted."""
    if not len(known):
        return keys
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    found: Keys = keys[known[place] != keys]
    return found

"""Compressed postings: ascending numbers as deltas in LEB128.

A number is `before + 1 + delta`; `before` is -1 at the start of a word's postings. A delta is
written seven bits at a time, lowest first; all its bytes but the last have their highest bit set.
Most deltas take one byte.
"""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Bytes, Integers, SmallIntegers

# The bits of a delta in each byte, and the flag of a byte that is not its last.
_BITS = 7
_MORE = 1 << _BITS
# The maximum number of bytes, for a number below 2^31.
_MAX_BYTES = 5


def pack(numbers: SmallIntegers, ends: Integers) -> tuple[Bytes, Integers]:
    """The bytes of the postings of words, one word after the other, and the end of each word's
    bytes. `numbers` holds the postings, ascending for each word; `ends` is the end of each word's
    postings there. Every word has postings.
    """
    deltas = np.asarray(np.diff(numbers, prepend=-1), np.int64) - 1
    starts = ends - np.diff(ends, prepend=0)
    deltas[starts] = numbers[starts]
    sizes = np.ones(len(deltas), np.int64)
    for size in range(1, _MAX_BYTES):
        sizes += deltas >> (_BITS * size) > 0
    byte_ends = np.cumsum(sizes)
    packed = np.empty(int(byte_ends[-1]) if len(byte_ends) else 0, np.uint8)
    for byte in range(_MAX_BYTES):
        longer = np.flatnonzero(sizes > byte)
        more = np.where(sizes[longer] > byte + 1, _MORE, 0)
        bits = (deltas[longer] >> (_BITS * byte)) % _MORE
        packed[byte_ends[longer] - sizes[longer] + byte] = bits | more
    return packed, byte_ends[ends - 1]


def unpack(packed: Bytes, ends: Integers, byte_ends: Integers) -> Integers:
    """The postings of words, each with at least one. `ends` are the ends of each word's postings,
    counted in numbers, and `byte_ends` in bytes; both ascend. Raises ValueError when a word's bytes
    do not hold that many numbers, or a number takes too many bytes.
    """
    if not len(ends):
        return np.empty(0, np.int64)
    last_bytes = np.flatnonzero(packed < _MORE)
    sizes = _differences(last_bytes + 1)
    if not np.array_equal(last_bytes[ends - 1] if ends[-1] == len(sizes) else [], byte_ends - 1):
        raise ValueError(f"{len(sizes)} numbers, not {ends[-1]} where they should be")
    longest = int(sizes.max())
    if longest > _MAX_BYTES:
        raise ValueError(f"a number of {longest} bytes")
    steps = packed[last_bytes - sizes + 1].astype(np.int64) % _MORE + 1
    for byte in range(1, longest):
        longer = np.flatnonzero(sizes > byte)
        bits = packed[last_bytes[longer] - sizes[longer] + 1 + byte].astype(np.int64) % _MORE
        steps[longer] += bits << (_BITS * byte)
    sums, lengths = np.cumsum(steps), _differences(ends)
    # One less than what all before a list sum up to is its -1.
    starts = ends - lengths
    before = sums[starts] - steps[starts] + 1
    numbers: Integers = sums - np.repeat(before, lengths)
    return numbers


def _differences(numbers: Integers) -> Integers:
    """Each number minus the previous one; in a fifth of the time of `np.diff` with `prepend`."""
    found = numbers.copy()
    found[1:] -= numbers[:-1]
    return found

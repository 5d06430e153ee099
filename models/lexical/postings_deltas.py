"""Ascending numbers in few bytes: each as what it is beyond the one before it, LEB128.

A number is `before + 1 + gap`, `before` being -1 where a list begins. A gap is written seven bits
at a time, the lowest first; all its bytes but the last have their highest bit set. Most gaps
between the segments that have a word take one byte.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

# Of a gap in a byte, and what is added to a byte that is not its last.
BITS = 7
MORE = 1 << BITS
# Of a number below 2^31.
MOST_BYTES = 5


def pack(numbers: npt.NDArray[np.int32], stops: Numbers) -> tuple[Bytes, Numbers]:
    """The bytes of lists of ascending numbers, from 0, one list after the other, and where each
    list's bytes end. `stops` says where each list ends in `numbers`; none is empty."""
    gaps = np.asarray(np.diff(numbers, prepend=-1), np.int64) - 1
    starts = stops - np.diff(stops, prepend=0)
    gaps[starts] = numbers[starts]
    sizes = np.ones(len(gaps), np.int64)
    for size in range(1, MOST_BYTES):
        sizes += gaps >> (BITS * size) > 0
    ends = np.cumsum(sizes)
    packed = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    for place in range(MOST_BYTES):
        there = np.flatnonzero(sizes > place)
        more = np.where(sizes[there] > place + 1, MORE, 0)
        packed[ends[there] - sizes[there] + place] = (gaps[there] >> (BITS * place)) % MORE | more
    return packed, ends[stops - 1]


def unpack(packed: Bytes, stops: Numbers) -> Numbers:
    """The numbers of lists; `stops` says where each one's end, counted in numbers. Raises
    ValueError when there are not so many, or one of them takes more bytes than any number."""
    ends = np.flatnonzero(packed < MORE) + 1
    sizes = np.diff(ends, prepend=0)
    count = int(stops[-1]) if len(stops) else 0
    if len(ends) != count or (ends[-1] if count else 0) != len(packed):
        raise ValueError(f"{len(ends)} numbers, not {count}")
    if sizes.max(initial=0) > MOST_BYTES:
        raise ValueError(f"a number of {sizes.max()} bytes")
    steps = np.ones(count, np.int64)
    for place in range(MOST_BYTES):
        there = np.flatnonzero(sizes > place)
        bits = packed[ends[there] - sizes[there] + place].astype(np.int64) % MORE
        steps[there] += bits << (BITS * place)
    sums, lengths = np.cumsum(steps), np.diff(stops, prepend=0)
    before = (sums - steps)[stops - lengths]
    numbers: Numbers = sums - np.repeat(before, lengths) - 1
    return numbers

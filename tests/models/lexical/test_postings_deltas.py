from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.lexical.postings_deltas import pack, unpack

_NUMBER = st.integers(0, 300) | st.integers(0, 2**31 - 1)
_POSTINGS_LISTS = st.lists(st.sets(_NUMBER, min_size=1, max_size=20).map(sorted), max_size=6)


def _leb128(number: int) -> bytes:
    """As the Dwarf standard describes it."""
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


@given(_POSTINGS_LISTS)
def test_pack_writes_deltas_and_unpack_reads_them(postings_lists: list[list[int]]) -> None:
    numbers = np.array([number for each in postings_lists for number in each], np.int32)
    ends = np.cumsum([len(each) for each in postings_lists], dtype=np.int64)

    packed, byte_ends = pack(numbers, ends)

    expected = [
        b"".join(_leb128(b - a - 1) for a, b in zip([-1, *each[:-1]], each, strict=True))
        for each in postings_lists
    ]
    assert packed.tobytes() == b"".join(expected)
    assert byte_ends.tolist() == np.cumsum([len(each) for each in expected]).tolist()
    assert unpack(packed, ends, byte_ends).tolist() == numbers.tolist()


@pytest.mark.parametrize(
    ("packed", "ends", "byte_ends"),
    [
        ([], [1], [0]),
        ([0, 0], [1], [2]),
        ([0, 128], [1], [2]),
        ([128], [1], [1]),
        ([128, 128, 128, 128, 128, 0], [1], [6]),
        # As many numbers as there should be, but not in the list where they should be.
        ([0, 0, 0], [1, 3], [2, 3]),
        ([0, 0, 0], [2, 3], [1, 3]),
        ([0, 128, 0], [1, 2], [2, 3]),
    ],
)
def test_unpack_other_numbers_than_there_should_be_is_an_error(
    packed: list[int], ends: list[int], byte_ends: list[int]
) -> None:
    with pytest.raises(ValueError, match="number"):
        unpack(np.array(packed, np.uint8), np.array(ends), np.array(byte_ends))

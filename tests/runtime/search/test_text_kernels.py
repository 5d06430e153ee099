from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.runtime.search.keys import key_of
from factmill.runtime.search.text_kernels import read_numbers, read_texts
from factmill.runtime.search.texts import PAGE_TEXTS, SEGMENT_TEXTS, UNIT_TEXTS

# Characters of one to four bytes.
_TEXT = st.text(st.sampled_from("ab \u00e9\u4e1c\U0001f309"), max_size=5)
_OF_PAGE, _OF_SEGMENT, _OF_UNIT = len(PAGE_TEXTS), len(SEGMENT_TEXTS), len(UNIT_TEXTS)
_COLUMNS = _OF_PAGE + _OF_SEGMENT + _OF_UNIT
_ROWS = 3

Column = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]


def _column(texts: Sequence[str]) -> Column:
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return offsets, np.frombuffer(b"".join(encoded), np.uint8).copy()


def _addresses(shards: Sequence[Sequence[Column]]) -> tuple[Any, Any]:
    at = [[part.ctypes.data for column in columns for part in column] for columns in shards]
    return np.array(at), np.array([[len(data) for _, data in columns] for columns in shards])


def _read(shards: Sequence[Sequence[Column]], hits: list[Any]) -> list[str] | None:
    """The texts of hits (shard, page, segment, units); None when they cannot be read."""
    addresses, sizes = _addresses(shards)
    pages = np.array([key_of(shard, page) for shard, page, _, _ in hits])
    segments = np.array([key_of(shard, segment) for shard, _, segment, _ in hits])
    units = np.array([rows for *_, rows in hits], np.int64)
    read, ends = read_texts(addresses, sizes, pages, segments, units)
    try:
        text = read.tobytes().decode()
    except UnicodeDecodeError:
        return None
    return [text[start:stop] for start, stop in pairwise([0, *ends])] if len(ends) else None


_SHARD = st.lists(
    st.lists(_TEXT, min_size=_ROWS, max_size=_ROWS), min_size=_COLUMNS, max_size=_COLUMNS
)
_PLACE = st.integers(0, _ROWS - 1)


@settings(deadline=None, max_examples=100)
@given(st.lists(_SHARD, min_size=1, max_size=3), st.integers(0, 2), st.data())
def test_read_texts_are_those_of_the_columns(
    texts: list[list[list[str]]], of_hit: int, data: st.DataObject
) -> None:
    unit_rows = st.lists(st.integers(-1, _ROWS - 1), min_size=of_hit, max_size=of_hit)
    hit = st.tuples(st.integers(0, len(texts) - 1), _PLACE, _PLACE, unit_rows)
    hits = data.draw(st.lists(hit, min_size=1, max_size=4))
    expected = []
    for shard, page, segment, units in hits:
        expected += [column[page] for column in texts[shard][:_OF_PAGE]]
        expected += [column[segment] for column in texts[shard][_OF_PAGE:-_OF_UNIT]]
        for row in units:
            expected += [column[row] if row >= 0 else "" for column in texts[shard][-_OF_UNIT:]]
    shards = [[_column(column) for column in columns] for columns in texts]
    assert _read(shards, hits) == expected


@pytest.mark.parametrize(
    "offsets", [(0, 9, 9, 9), (-1, 2, 4, 6), (4, 2, 4, 6), (0, 1, 4, 6), (2**62, 2**62 + 1, 4, 6)]
)
@pytest.mark.parametrize("column", range(_COLUMNS))
def test_read_texts_outside_of_its_column_or_within_a_character_reads_none(
    offsets: tuple[int, ...], column: int
) -> None:
    columns = [_column(["\u00e9", "\u00e9", "\u00e9"]) for _ in range(_COLUMNS)]
    assert _read([columns], [(0, 1, 1, [1])]) is not None
    columns[column] = (np.array(offsets), columns[column][1])
    assert None in [_read([columns], [(0, row, row, [row])]) for row in (0, 1)]


def test_read_numbers_are_those_of_the_columns() -> None:
    columns = [
        [np.arange(first, first + 3, dtype=np.int32) for first in (10, 20, 30, 40)]
        + [np.array([0, 2, -1], np.int8)]
    ] * 2
    addresses = np.array([[column.ctypes.data for column in shard] for shard in columns])
    segments = np.array([key_of(0, 2), key_of(1, 0)])
    spans, numbers = read_numbers(addresses, segments, np.array([[1, -1], [2, 0]]))
    assert spans.tolist() == [[12, 22], [10, 20]]
    # A kind below 0 is none that there is.
    assert numbers.tolist() == [[[2, 31, 41], [-1, -1, -1]], [[255, 32, 42], [0, 30, 40]]]

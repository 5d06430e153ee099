"""Compiled loops that read what hits show from mapped columns, all at once.

Texts lie anywhere in the files, so reading them one after the other is waiting for memory: here all
are asked for before the first is read. Kernels trust addresses and lengths as `scan_kernels` says.
Importing this module loads the compiler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factmill.models.codes.compiled import helper, kernel
from factmill.runtime.mapped.memory import copy, fetch, load_byte, load_int, load_long
from factmill.runtime.search.keys import POSITION, SHARD_SHIFT
from factmill.runtime.search.texts import PAGE_TEXTS, SEGMENT_TEXTS, UNIT_TEXTS

# Columns of `read_numbers`: starts and ends of segments, starts and ends of rows, kinds of rows.
_OF_SEGMENTS, _OF_ROWS, _KINDS = 0, 2, 4
_OF_PAGE, _OF_SEGMENT, _OF_UNIT = len(PAGE_TEXTS), len(SEGMENT_TEXTS), len(UNIT_TEXTS)
# Bytes after the first of a character have these two bits.
_LATER, _BITS_OF_LATER = np.uint8(0x80), np.uint8(0xC0)


@kernel
def read_numbers(columns: Any, segments: Any, units: Any) -> Any:
    """The spans of segments, shape (segments, 2), and of units, shape (segments, units, 3), kind
    and span; of row -1 all are -1. `columns` has the addresses of each shard's columns."""
    spans = np.empty((len(segments), 2), np.int64)
    numbers = np.full((len(segments), units.shape[1], 3), -1, np.int64)
    for hit in range(len(segments)):
        shard, segment = segments[hit] >> SHARD_SHIFT, segments[hit] & POSITION
        for column in range(2):
            spans[hit, column] = load_int(columns[shard, _OF_SEGMENTS + column] + 4 * segment)
        for unit in range(units.shape[1]):
            row = units[hit, unit]
            if row >= 0:
                # A negative kind becomes one that there is not.
                numbers[hit, unit, 0] = np.int64(load_byte(columns[shard, _KINDS] + row))
                for column in range(2):
                    address = columns[shard, _OF_ROWS + column] + 4 * row
                    numbers[hit, unit, 1 + column] = load_int(address)
    return spans, numbers


@helper
def _ask(columns: Any, texts: Any, size: int, shard: int, first: int, count: int, row: int) -> int:
    """Begin to read where the texts of a row are."""
    for column in range(first, first + count):
        texts[size, 0], texts[size, 1], texts[size, 2] = shard, column, row
        fetch(columns[shard, 2 * column] + 8 * row, 16)
        size += 1
    return size


@kernel
def read_texts(columns: Any, sizes: Any, pages: Any, segments: Any, units: Any) -> Any:
    """The texts of hits, one after the other, and after how many characters each ends.

    Of each hit those of its page, its segment, and its units, which are rows of the segment's
    shard; those of row -1 are empty. `columns` has the addresses of the offsets and the bytes of
    each column of each shard, `sizes` how many bytes there are. No text is given when one of them
    lies outside of its column or begins within a character.
    """
    of_hit = _OF_PAGE + _OF_SEGMENT + units.shape[1] * _OF_UNIT
    texts = np.empty((len(segments) * of_hit, 3), np.int64)
    size = 0
    for hit in range(len(segments)):
        shard = segments[hit] >> SHARD_SHIFT
        size = _ask(columns, texts, size, shard, 0, _OF_PAGE, pages[hit] & POSITION)
        size = _ask(columns, texts, size, shard, _OF_PAGE, _OF_SEGMENT, segments[hit] & POSITION)
        for unit in range(units.shape[1]):
            size = _ask(
                columns, texts, size, shard, _OF_PAGE + _OF_SEGMENT, _OF_UNIT, units[hit, unit]
            )
    total = np.int64(0)
    for text in range(size):
        shard, column, row = texts[text]
        start, stop = np.int64(0), np.int64(0)
        if row >= 0:
            start = load_long(columns[shard, 2 * column] + 8 * row)
            stop = load_long(columns[shard, 2 * column] + 8 * row + 8)
        if not 0 <= start <= stop <= sizes[shard, column]:
            return np.empty(0, np.uint8), np.empty(0, np.int64)
        texts[text, 0], texts[text, 1] = columns[shard, 2 * column + 1] + start, stop - start
        fetch(texts[text, 0], texts[text, 1])
        total += stop - start
    read = np.empty(total, np.uint8)
    ends = np.empty(size, np.int64)
    place, characters = np.int64(0), np.int64(0)
    for text in range(size):
        address, length = texts[text, 0], texts[text, 1]
        if length and load_byte(address) & _BITS_OF_LATER == _LATER:
            return np.empty(0, np.uint8), np.empty(0, np.int64)
        copy(read.ctypes.data + place, address, length)
        later = 0
        for byte in read[place : place + length]:
            later += (byte & _BITS_OF_LATER) == _LATER
        place += length
        characters += length - later
        ends[text] = characters
    return read, ends

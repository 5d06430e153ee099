"""How many values a JSON text has, and how much memory its strings take, without parsing it.

A value of three bytes, such as `{},`, takes seventy in memory, and one emoji makes four bytes of
every character of its string, so a line whose length is allowed could take gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Depths = NDArray[np.int64]

# Real records have a hundred; some have vectors of numbers.
_MAX_VALUES = 1_000_000
# A shorter text cannot take much.
_HARMLESS_BYTES = 8_000_000
_BLOCK_BYTES = 1 << 20
_QUOTE, _COMMA = b'",'
_OPEN, _CLOSE = b"[{", b"]}"
# UTF-8's first bytes of characters beyond U+00FF and U+FFFF, and escapes of such characters.
_FIRST_OF_WIDE, _FIRST_OF_WIDEST = 0xC4, 0xF0
_WIDE_ESCAPE = re.compile(rb"\\u(?!00)")
_WIDEST_ESCAPE = re.compile(rb"\\u[dD][89abAB]")


def too_many_values(record: bytes) -> bool:
    """Whether a record has more values than any real one. The part that a parser accepts is counted
    correctly.
    """
    if len(record) <= _HARMLESS_BYTES:
        return False
    values = 0
    for _, block, outside, depths in _scanned(record):
        opens, closes = np.isin(block, list(_OPEN)), np.isin(block, list(_CLOSE))
        begun = values + np.cumsum((opens | (block == _COMMA)) & outside)
        ends = begun[closes & outside & (depths <= 0)]
        # What was begun before an end, and at the end of the block, belongs to one value.
        bounds = np.concatenate([[0], ends, begun[-1:]])
        if np.diff(bounds).max() > _MAX_VALUES:
            return True
        values = int(begun[-1] - (ends[-1] if len(ends) else 0))
    return False


def elements(array: bytes) -> Iterator[bytes]:
    """The parts between the commas of an array, of which `array` is what follows its bracket. The
    last part goes to the end of the text.
    """
    begin = 0
    for start, block, outside, depths in _scanned(array):
        for comma in np.flatnonzero((block == _COMMA) & outside & (depths == 0)).tolist():
            yield array[begin : start + comma]
            begin = start + comma + 1
    yield array[begin:]


def _scanned(text: bytes) -> Iterator[tuple[int, Bytes, Flags, Depths]]:
    """Blocks of a JSON text with their offset, which of their bytes are outside of strings, and how
    many brackets are open behind each.
    """
    plain = text.replace(b"\\\\", b"__").replace(b'\\"', b"__")
    in_string, depth = False, 0
    for start in range(0, len(plain), _BLOCK_BYTES):
        block = np.frombuffer(plain, np.uint8, min(_BLOCK_BYTES, len(plain) - start), start)
        outside = ~(np.logical_xor.accumulate(block == _QUOTE) ^ in_string)
        opens, closes = np.isin(block, list(_OPEN)), np.isin(block, list(_CLOSE))
        depths = depth + np.cumsum((opens & outside).astype(np.int64) - (closes & outside))
        yield start, block, outside, depths
        in_string, depth = not outside[-1], int(depths[-1])


def string_bytes(text: bytes) -> int:
    """The bytes that the text, and all strings in it, take at most as Python's strings, which store
    each character in the width of their widest one. Short texts count as their length.
    """
    if len(text) <= _HARMLESS_BYTES:
        return len(text)
    characters, highest = len(text), 0
    for start in range(0, len(text), _BLOCK_BYTES):
        block = np.frombuffer(text, np.uint8, min(_BLOCK_BYTES, len(text) - start), start)
        characters -= int(np.count_nonzero((block & 0xC0) == 0x80))
        highest = max(highest, int(block.max()))
    width = 4 if highest >= _FIRST_OF_WIDEST else 2 if highest >= _FIRST_OF_WIDE else 1
    if b"\\u" not in text:
        return characters * width
    plain = text.replace(b"\\\\", b"")
    escaped = 4 if _WIDEST_ESCAPE.search(plain) else 2 if _WIDE_ESCAPE.search(plain) else 1
    unescaped = characters - 5 * plain.count(b"\\u")
    return max(characters * width, unescaped * max(width, escaped))

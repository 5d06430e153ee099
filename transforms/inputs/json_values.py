"""How many values a JSON text has, without parsing it.

A value of three bytes, such as `{},`, takes seventy in memory, so a line whose length is allowed
could take gigabytes.
"""

from __future__ import annotations

import numpy as np

# Real records have a hundred; some have vectors of numbers.
_MAX_VALUES = 1_000_000
# A shorter text cannot take much.
_HARMLESS_BYTES = 8_000_000
_BLOCK_BYTES = 1 << 20
_QUOTE, _COMMA = b'",'
_OPEN, _CLOSE = b"[{", b"]}"


def too_many_values(text: bytes, within: int) -> bool:
    """Whether an element at depth `within` (0 for the whole text, 1 for an element of an array) has
    more values than any record. The part that a parser accepts is counted correctly.
    """
    if len(text) <= _HARMLESS_BYTES:
        return False
    plain = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    in_string, depth, values = False, 0, 0
    for start in range(0, len(plain), _BLOCK_BYTES):
        block = np.frombuffer(plain[start : start + _BLOCK_BYTES], np.uint8)
        outside = ~(np.logical_xor.accumulate(block == _QUOTE) ^ in_string)
        in_string = not outside[-1]
        opens = np.isin(block, list(_OPEN)) & outside
        closes = np.isin(block, list(_CLOSE)) & outside
        depths = depth + np.cumsum(opens.astype(np.int32) - closes)
        begun = values + np.cumsum(opens | ((block == _COMMA) & outside))
        ends = begun[closes & (depths <= within)]
        # What was begun before an end, and at the end of the block, belongs to one element.
        bounds = np.concatenate([[0], ends, begun[-1:]])
        if np.diff(bounds).max() > _MAX_VALUES:
            return True
        depth, values = int(depths[-1]), int(begun[-1] - (ends[-1] if len(ends) else 0))
    return False

"""Removes the API key from text of a server that echoes it: plain, percent-encoded, or in base64.

Pure functions.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from urllib.parse import quote

_MASK = "***"
# A shorter key is a word that a text may contain by chance ("EMPTY", "none").
_MIN_LENGTH = 8


def key_mask(key: str) -> Callable[[str], str]:
    """A function that replaces the key in any text."""
    if len(key) < _MIN_LENGTH:
        return lambda text: text
    spellings = {key, quote(key, safe=""), *_in_base64(key)}
    longest_first = sorted(spellings, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    return lambda text: pattern.sub(_MASK, text)


def _in_base64(key: str) -> set[str]:
    """The base64 characters that depend on the key alone, for each alignment: in "Bearer KEY" or
    "user:KEY" it may begin at any of the three bytes of a group.
    """
    found = set()
    for before in range(3):
        raw = b"\0" * before + key.encode()
        first, last = -(-8 * before // 6), 8 * len(raw) // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            found.add(encode(raw).decode()[first:last])
    return found

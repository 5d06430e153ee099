"""Removes characters that are invisible and split words for text processing."""

from __future__ import annotations

import re

# Soft hyphens, word joiners, byte order marks and marks of direction anywhere; a zero-width space
# only at the edge of words, because Thai and Khmer use it between words.
_DIRECTION = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_INVISIBLE = re.compile(f"[\u00ad\u2060\ufeff{_DIRECTION}]|(?<!\\w)\u200b|\u200b(?!\\w)")
_CHARACTERS = "\u00ad\u2060\ufeff\u200b" + _DIRECTION


def without_invisible(text: str) -> str:
    """The text without invisible characters."""
    if any(character in text for character in _CHARACTERS):  # hardly a page has one
        return _INVISIBLE.sub("", text)
    return text

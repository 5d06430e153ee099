"""Removes characters that are invisible and split words for text processing."""

from __future__ import annotations

import re

# Soft hyphens, word joiners and byte order marks anywhere; a zero-width space only at the edge of
# words, because Thai and Khmer use it between words.
_INVISIBLE = re.compile("[\u00ad\u2060\ufeff]|(?<!\\w)\u200b|\u200b(?!\\w)")
_CHARACTERS = "\u00ad\u2060\ufeff\u200b"


def without_invisible(text: str) -> str:
    """The text without invisible characters."""
    if any(character in text for character in _CHARACTERS):  # hardly a page has one
        return _INVISIBLE.sub("", text)
    return text

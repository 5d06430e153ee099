"""Characters that no reader sees, and that split words for whoever looks for them."""

from __future__ import annotations

import re

# Soft hyphens, joiners of words and byte order marks anywhere; a space of no width only where no
# word goes on, because Thai and Khmer have it between their words.
_INVISIBLE = re.compile("[\u00ad\u2060\ufeff]|(?<!\\w)\u200b|\u200b(?!\\w)")
_CHARACTERS = "\u00ad\u2060\ufeff\u200b"


def without_invisible(text: str) -> str:
    """The text as it is seen."""
    if any(character in text for character in _CHARACTERS):  # hardly a page has one
        return _INVISIBLE.sub("", text)
    return text

"""Words as subwords of a fixed vocabulary: the longest subwords first, as WordPiece does.

    "Cosmetify's" -> "cosm", "##eti", "##fy", "'", "s"

Letters are read in lower case and without accents. Words and marks stand apart, and a number is one
word, whatever it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
_NUMBER = "0"
_MAX_WORD = 40  # characters; longer ones are not words
SubwordNumbers = Mapping[str, int]


def split_words(text: str, most: int) -> list[str]:
    """The first words and marks of a text."""
    return [match[0] for _, match in zip(range(most), _WORD.finditer(text), strict=False)]


def subwords_of(word: str, vocabulary: SubwordNumbers) -> list[int]:
    """The numbers of a word's subwords; none if the vocabulary cannot spell it."""
    if word[0].isdigit():
        word = _NUMBER
    low = word.lower()
    if not low.isascii():
        parts = unicodedata.normalize("NFD", low)
        low = "".join(char for char in parts if unicodedata.category(char) != "Mn")
    found: list[int] = []
    start = 0
    while start < len(low) <= _MAX_WORD:
        prefix = "##" if start else ""
        for end in range(len(low), start, -1):
            number = vocabulary.get(prefix + low[start:end])
            if number is not None:
                found.append(number)
                start = end
                break
        else:
            return []
    return found

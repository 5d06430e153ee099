"""Pronunciations and foreign names: "Norway (Norwegian: Norge) is a state"."""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.aligned_text import Rewrite

MAX_NAME_CHARACTERS = 60
MIN_WORDS = 3
# Other names; not dates and not abbreviations.
_OTHER_NAME = re.compile(
    r"[ɐ-ʯˈˌ]|\b(?:pronounced|pronunciation|listen|romani[sz]ed|lit\.|literally|translit\.|IPA)\b"
    r"|^(?:in |from |original title|original |[A-Z][a-z]+(?: [A-Z][a-z]+)? ?:)"
    r"|^[A-Z][a-z]+ pronunciation|[\u0370-\uffff]{2}",
)


def split_pronunciation(text: str) -> list[Rewrite]:
    """The sentence without a parenthesis after its first words that only has other names for
    them.
    """
    begin = text.find("(", 2, MAX_NAME_CHARACTERS)
    if begin < 0 or any(mark in text[:begin] for mark in ",;:"):
        return []
    end = _closing(text, begin)
    inner = text[begin + 1 : end - 1]
    if not end or len(text[end:].split()) < MIN_WORDS:
        return []
    if not _OTHER_NAME.search(inner) or re.search(r"\b\d{3,4}\b|\bborn\b", inner):
        return []
    if text.startswith((", is ", ", are ", ", was ", ", were "), end):
        end += 1
    return [[(0, len(text[:begin].rstrip())), (end, len(text))]]


def _closing(text: str, begin: int) -> int:
    """The index after the bracket that closes the one at `begin`; 0 if none does."""
    depth = 0
    for index in range(begin, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if depth == 0:
            return index + 1
    return 0

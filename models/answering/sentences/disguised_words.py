"""Undoes how orders are written so that programs do not see their words: digits in place of letters
("1gn0re"), signs within words ("ig-nore"), letters set apart ("i g n o r e").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# A word of letters and digits, or signs that stand for letters.
_MIXED = re.compile(r"[A-Za-z013457@$]{3,30}")
_IS_MIXED = re.compile(r"[A-Za-z][013457@$]|[013457@$][A-Za-z]")
_DIGITS = ("013457@$", "oieastas"), ("013457@$", "oleastas")
_LETTERS_FOR_DIGITS = tuple(str.maketrans(digits, letters) for digits, letters in _DIGITS)
_SIGN_IN_WORD = re.compile(r"(?<=[A-Za-z])[-_.*·|~^\u00ad](?=[A-Za-z])")
# Letters one by one, eight of them or more.
_APART = re.compile(r"(?<!\w)\w(?:[ ._*·|-]{1,2}\w(?!\w)){7,}")
_MAX_CHARACTERS = 2000
_ORDER_TOGETHER = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)"
    r"(?:all|any|every|the|your|my|these|this|previous|prior|above|other)*"
    r"(?:instructions?|prompts?|questions?|rules|context|previous|above|sources?|pages?)",
    re.IGNORECASE,
)


def undisguised(sentence: str) -> Iterator[str]:
    """The sentence in plain words, in the ways that it may be read; nothing if it has no sign of a
    disguise.
    """
    sentence = sentence[:_MAX_CHARACTERS]
    if _IS_MIXED.search(sentence):
        for letters in _LETTERS_FOR_DIGITS:
            yield _MIXED.sub(lambda word: _letters(word[0], letters), sentence)  # noqa: B023
    if _SIGN_IN_WORD.search(sentence):
        yield _SIGN_IN_WORD.sub("", sentence)


def _letters(word: str, letters: dict[int, int]) -> str:
    return word.translate(letters) if _IS_MIXED.search(word) else word


def spells_an_order(sentence: str) -> bool:
    """Whether letters that are set apart spell an order."""
    runs = _APART.findall(sentence[:_MAX_CHARACTERS])
    return any(_ORDER_TOGETHER.search(re.sub(r"\W|_", "", run)) for run in runs)

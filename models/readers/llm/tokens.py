"""Texts as tokens with offsets, compared without regard to white space, case and punctuation.

A token is a word, a number ("1,000.5", "10:30", "1960s"), a meaningful symbol ("$", "%"), or one
character of a script without spaces between words.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

_UNSPACED = (
    "\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\ua4cf\ua960-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_LETTER = rf"[^\W\d_{_UNSPACED}]"
# The pattern cannot fail after a repetition, so the scan is linear.
_TOKEN = re.compile(
    rf"{_LETTER}(?:\.{_LETTER})+(?!{_LETTER})\.?"  # U.S.
    rf"|(?:\d(?:[.:](?=\d)|,(?=\d\d\d(?!\d)))?|{_LETTER}|(?<=\w)[\u0300-\u036f])+"
    r"|[^\W_]|[$€£¥₹%‰°+#&@=§]"
)
_SEPARATOR = "\x1f"


@lru_cache(1 << 16)
def _key(token: str) -> str:
    if not token.isascii():
        token = unicodedata.normalize("NFKC", token)
    token = token.casefold()
    if token[0].isdigit():
        return token.replace(",", "")
    return token.replace(".", "") if token[-1] == "." or "." in token[1:2] else token


class Tokens:
    """The tokens of one text: as written, as compared (`keys`), and their positions."""

    __slots__ = ("_joined", "_offsets", "ends", "keys", "starts", "words")

    def __init__(self, text: str) -> None:
        spans = [match.span() for match in _TOKEN.finditer(text)]
        self.starts = [start for start, _ in spans]
        self.ends = [end for _, end in spans]
        self.words = [text[start:end] for start, end in spans]
        self.keys = list(map(_key, self.words))
        self._joined: str | None = None
        self._offsets: list[int] = []

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, keys: Sequence[str]) -> Iterator[int]:
        """The token positions at which these consecutive keys begin."""
        if not keys:
            return
        if self._joined is None:
            self._joined = _joined(self.keys)
            self._offsets = list(accumulate((len(key) + 1 for key in self.keys), initial=0))
        wanted = _joined(keys)
        found = self._joined.find(wanted)
        while found >= 0:
            yield bisect_left(self._offsets, found)
            found = self._joined.find(wanted, found + 1)

    def has(self, keys: Sequence[str]) -> bool:
        return next(self.find(keys), None) is not None


def _joined(keys: Sequence[str]) -> str:
    return _SEPARATOR + _SEPARATOR.join(keys) + _SEPARATOR

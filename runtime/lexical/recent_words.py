"""The contributions of recently used words to segments, kept in memory.

Most of what a query reads are postings of words that other queries use as well.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import NamedTuple

from factmill.models.arrays import Floats, Integers


class WordGains(NamedTuple):
    """The segments that have a word, and its contribution to each, in nats."""

    segments: Integers
    gained: Floats


class RecentWords:
    """A cache of words by number, bounded by `most_postings`; the least recently used go first.
    Thread-safe.
    """

    def __init__(self, most_postings: int) -> None:
        self._most = most_postings
        self._words: OrderedDict[int, WordGains] = OrderedDict()
        self._postings = 0
        self._lock = Lock()

    def get(self, words: Iterable[int]) -> dict[int, WordGains]:
        """The cached ones among these words."""
        with self._lock:
            found = {word: self._words[word] for word in words if word in self._words}
            for word in found:
                self._words.move_to_end(word)
        return found

    def put(self, words: Mapping[int, WordGains]) -> None:
        """Cache words. Their arrays are copied, so that they do not keep larger ones in memory."""
        with self._lock:
            for word, (segments, gained) in words.items():
                if word not in self._words and len(segments) <= self._most:
                    self._words[word] = WordGains(segments.copy(), gained.copy())
                    self._postings += len(segments)
            while self._postings > self._most:
                _, dropped = self._words.popitem(last=False)
                self._postings -= len(dropped.segments)

"""Words of a text and their BM25 weights, for finding segments by the words of a query.

A segment's score is Lucene's form of BM25 (Kamphuis et al. 2020, "Which BM25 do you mean?"):

    sum over the query's words t of  idf(t) * tf / (tf + k1 * (1 - b + b * words / mean words))
    idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5))

for a word in n of N segments that occurs tf times in the segment. The usual factor k1 + 1, which
changes no ranking, is left out, so a word contributes at most its idf and a score is in nats.

No language is assumed: no stop words, no stems. Knows nothing of files.

The hash of a phrase (consecutive words) is made from the hashes of its words.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from factmill.models.arrays import Floats, Integers, SmallIntegers

Hashes = npt.NDArray[np.uint64]

# In three sentences a second occurrence says next to nothing, so k1 is far below the usual 1.2:
# docs/log.md.
K1 = 0.1
B = 0.75
MAX_PHRASE = 8
# Odd, so that no bit of a word's hash is lost.
PHRASE_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MAX_CHARACTERS = 64
# Chinese, Japanese, Thai, Lao, Burmese and Khmer write no blanks.
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]+"
)


class _Folding(dict[int, int | None]):
    """A table for `str.translate`: letters, digits and their marks stay, accents are removed,
    everything else becomes a blank. Filled as characters occur.
    """

    def __missing__(self, code: int) -> int | None:
        kept: int | None = ord(" ")
        if 0x300 <= code <= 0x36F:
            kept = None
        elif unicodedata.category(chr(code))[0] in "LMN":
            kept = code
        self[code] = kept
        return kept


_FOLDING = _Folding()


def words(text: str) -> list[str]:
    """The words of a text in order, in lower case and without accents.

    In scripts without blanks, each pair of neighbouring characters is a word.
    """
    if text.isascii():
        return [word[:_MAX_CHARACTERS] for word in text.lower().translate(_FOLDING).split()]
    # Compatibility forms first, because some of them have capitals.
    text = unicodedata.normalize("NFKD", text).casefold().translate(_FOLDING)
    return [word[:_MAX_CHARACTERS] for word in _SPACELESS.sub(_pairs, text).split()]


def _pairs(run: re.Match[str]) -> str:
    characters = run.group()
    pairs = [first + second for first, second in zip(characters, characters[1:], strict=False)]
    return f" {' '.join(pairs) or characters} "


@lru_cache(maxsize=1 << 15)
def word_hash(word: str) -> int:
    """64 bits that identify a word in every shard and on every machine."""
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def word_hashes(text: str) -> Hashes:
    """The hashes of the words of a text, in order."""
    return np.array([word_hash(word) for word in words(text)], np.uint64)


def phrase_hashes(hashes: Hashes) -> Iterator[Hashes]:
    """The hashes of all phrases of one word, of two, and so on up to MAX_PHRASE, each by its first
    word, given the hashes of consecutive words.
    """
    phrases = hashes
    for length in range(1, min(MAX_PHRASE, len(hashes)) + 1):
        yield phrases
        phrases = phrases[:-1] * PHRASE_MULTIPLIER + hashes[length:]


def inverse_frequencies(found_in: Integers, segments: int) -> Floats:
    """idf of words, each in `found_in` of `segments` segments."""
    ratio = (segments - found_in + 0.5) / (found_in + 0.5)
    result: Floats = np.log1p(ratio).astype(np.float32)
    return result


def length_norms(lengths: SmallIntegers, mean: float, k1: float = K1, b: float = B) -> Floats:
    """The length term in the denominator beside tf, for segments of `lengths` words."""
    result: Floats = (k1 * (1 - b + b * lengths / max(mean, 1.0))).astype(np.float32)
    return result

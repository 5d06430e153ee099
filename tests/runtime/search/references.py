"""Scores of segments by their formulas, word for word: what the runtime is compared with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from factmill.models.lexical.bm25 import K1, B, words


def bm25(texts: Sequence[str], query: str) -> list[float]:
    """BM25 of each text, as models/lexical/bm25.py says it."""
    found = [Counter(words(text)) for text in texts]
    mean = max(sum(counts.total() for counts in found) / max(len(found), 1), 1.0)
    scores = []
    for counts in found:
        score = 0.0
        for word in set(words(query)):
            tf = counts[word]
            score += idf(found, word) * tf / (tf + K1 * (1 - B + B * counts.total() / mean))
        scores.append(score)
    return scores


def most(texts: Sequence[str], query: str) -> float:
    """What the words of a query that are in any text could give together."""
    found = [Counter(words(text)) for text in texts]
    found_words = {word for word in words(query) if any(word in counts for counts in found)}
    return sum(idf(found, word) for word in found_words)


def idf(found: Sequence[Counter[str]], word: str) -> float:
    n = sum(word in counts for counts in found)
    return math.log(1 + (len(found) - n + 0.5) / (n + 0.5))

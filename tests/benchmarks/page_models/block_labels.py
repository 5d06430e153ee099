"""How much of each block of a page is in its marked content, by aligning their words in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

# A block of so many words that the content has elsewhere is in it, too: contents are not always in
# the order of the page. Chance gives a phrase now and then, so this counts a little less.
_PHRASE = 3
_MIN_WORDS = 4
_OUT_OF_ORDER = 0.9


def block_labels(blocks: Sequence[Sequence[str]], content: Sequence[str]) -> list[float]:
    """For each block, given as words, the share of them that is marked."""
    flat = [word for block in blocks for word in block]
    matched = aligned(flat, content)
    phrases = set(_phrases(content))
    labels, start = [], 0
    for block in blocks:
        found = sum(matched[start : start + len(block)])
        start += len(block)
        label = found / len(block) if block else 0.0
        if len(block) >= _MIN_WORDS:
            own = _phrases(block)
            label = max(label, _OUT_OF_ORDER * sum(p in phrases for p in own) / len(own))
        labels.append(label)
    return labels


def aligned(words: Sequence[str], others: Sequence[str]) -> list[bool]:
    """For each of `words` whether it is in a longest common subsequence with `others`.

    Hyyrö's bit-parallel algorithm: a bit of `row` for each of `words`, cleared where the length
    grows; the rows are kept, and the alignment is read from their end.
    """
    positions: defaultdict[str, int] = defaultdict(int)
    for index, word in enumerate(words):
        positions[word] |= 1 << index
    everything = (1 << len(words)) - 1
    row, rows = everything, []
    for other in others:
        same = row & positions.get(other, 0)
        row = ((row + same) | (row - same)) & everything
        rows.append(row)
    found = [False] * len(words)
    at, column = len(others), len(words)
    while at and column:
        if rows[at - 1] >> (column - 1) & 1:
            column -= 1
            continue
        at -= 1
        if at and not rows[at - 1] >> (column - 1) & 1:
            continue
        column -= 1
        found[column] = True
    return found


def _phrases(words: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(*(words[start:] for start in range(_PHRASE)), strict=False))

"""Checks the links of a shard: the files must fit each other, and each linked name must occur in
its segment, and have the words that it has there.

Whether a name is missing depends on the titles of all shards, which are not read.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from factmill.models.arrays import Integers
from factmill.models.lexical.bm25 import Hashes, phrase_hashes, word_hashes
from factmill.runtime.lexical.segment_links import ShardLinks
from factmill.runtime.mapped.arrow_tables import MappedTable


def link_misfits(name: str, shard: ShardLinks) -> Iterator[str]:
    """Invalid references between the files."""
    if np.any(shard.names[1:] <= shard.names[:-1]):
        yield f"{name}: its names are not in order"
    word_counts = np.diff(shard.word_ends, prepend=np.int32(0))
    if np.any(word_counts < 1) or _outside(shard.words, len(shard.vocabulary)):
        yield f"{name}: a name refers to missing words"
    link_counts = np.diff(shard.link_ends, prepend=np.int32(0))
    if np.any(link_counts < 0) or _outside(shard.links, len(shard.names)):
        yield f"{name}: a segment refers to a missing name"


def link_faults(
    name: str, shard: ShardLinks, positions: Integers, segments: MappedTable
) -> Iterator[str]:
    """Checks that the linked names of the segments at these positions occur in them, with the words
    that the index has for them. Stops at the first fault.
    """
    texts = segments.texts("text")
    starts, word_starts = np.append(0, shard.link_ends), np.append(0, shard.word_ends)
    for position in positions.tolist():
        linked = shard.links[starts[position] : starts[position + 1]]
        if not len(linked):
            continue
        phrases = _phrases(texts[position], shard.names[linked])
        if phrases is None:
            yield f"{name}: a linked name does not occur in its segment"
            return
        for number, phrase in zip(linked.tolist(), phrases, strict=True):
            words = shard.words[word_starts[number] : word_starts[number + 1]]
            if shard.vocabulary[words].tolist() != sorted(set(phrase.tolist())):
                yield f"{name}: a linked name does not have the words that its segment has"
                return


def _phrases(text: str, names: Hashes) -> list[Hashes] | None:
    """The word hashes of the phrases with these hashes in a text; None if one is not there."""
    hashes = word_hashes(text)
    by_length = list(phrase_hashes(hashes))
    if not by_length:
        return None
    phrases = np.concatenate(by_length)
    order = phrases.argsort()
    at = order.take(phrases.searchsorted(names, sorter=order), mode="clip")
    if np.any(phrases[at] != names):
        return None
    offsets = np.cumsum([0, *map(len, by_length)])
    lengths = offsets.searchsorted(at, side="right")
    starts = at - offsets[lengths - 1]
    ends = starts + lengths
    return [hashes[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _outside(numbers: np.ndarray, count: int) -> bool:
    return bool(np.any((numbers < 0) | (numbers >= count)))

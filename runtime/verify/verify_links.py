"""Checks the links of a shard: the files must fit each other, and each linked name must occur in
its segment.

Whether a name is missing depends on the titles of all shards, which are not read.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from factmill.models.arrays import Integers
from factmill.models.lexical.bm25 import phrase_hashes, word_hashes
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
    """Checks that the linked names of the segments at these positions occur in them. Stops at the
    first fault.
    """
    texts = segments.texts("text")
    starts = np.append(0, shard.link_ends)
    for position in positions.tolist():
        linked = shard.links[starts[position] : starts[position + 1]]
        if len(linked):
            phrases = np.concatenate(list(phrase_hashes(word_hashes(texts[position]))))
            if not np.isin(shard.names[linked], phrases).all():
                yield f"{name}: a linked name does not occur in its segment"
                return


def _outside(numbers: np.ndarray, count: int) -> bool:
    return bool(np.any((numbers < 0) | (numbers >= count)))

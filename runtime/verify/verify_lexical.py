"""Checks the words of a shard's segments: the files must fit each other, and must have exactly the
words of the segments and the names of their pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from factmill.models.arrays import Integers, SmallIntegers
from factmill.models.encoding.encoder import headed_text, segment_text
from factmill.models.lexical.bm25 import word_hash, words
from factmill.models.lexical.page_names import name_hash
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.runtime.mapped.arrow_tables import MappedTable
from factmill.runtime.verify.verify_slices import Slice
from factmill.schemas.lexical_files import MAX_TERM_FREQUENCY

# A word of a segment: the segment's position, the word's hash, how often it is there.
_Words = tuple[Integers, npt.NDArray[np.uint64], Integers]


def lexical_misfits(
    name: str, shard: LexicalShard, page_of_segment: SmallIntegers
) -> Iterator[str]:
    """Invalid references between the files."""
    sizes = [np.diff(ends, prepend=0) for ends in (shard.posting_ends, shard.delta_ends)]
    if any(np.any(size < 1) for size in sizes) or np.any(shard.hashes[1:] <= shard.hashes[:-1]):
        yield f"{name}: its words are not in order"
        return
    try:
        segments = shard.all_postings
    except ValueError as error:
        yield f"{name}: its postings are damaged ({error})"
        return
    if np.any(segments >= len(shard)):
        yield f"{name}: a word refers to a missing segment"
    if np.any(shard.lengths < 0):
        yield f"{name}: a segment has a negative number of words"
    runs = np.flatnonzero(np.diff(page_of_segment, append=-1)) + 1
    if np.any(shard.page_segments < 1) or not np.array_equal(np.cumsum(shard.page_segments), runs):
        yield f"{name}: its names do not match the segments of their pages"


def word_faults(
    name: str,
    shard: LexicalShard,
    part: Slice,
    positions: Integers,
    segments: MappedTable,
) -> Iterator[str]:
    """Checks that the segments of a slice, at these positions, have the words that the index has
    for them.
    """
    ids = segments.texts("segment_id")
    expected, lengths = _words_of(part, positions, [ids[position] for position in positions])
    if not np.array_equal(shard.lengths[positions], lengths):
        yield f"{name}: a segment has the wrong number of words"
        return
    titles = [_title_of(part, ids[position]) for position in positions]
    names = np.array([name_hash(title) for title in titles], np.uint64)
    if not np.array_equal(np.repeat(shard.page_names, shard.page_segments)[positions], names):
        yield f"{name}: the name of a page does not match its title"
    stored = _stored_words(shard, positions)
    if any(not np.array_equal(a, b) for a, b in zip(stored, expected, strict=True)):
        yield f"{name}: its words do not match the segments"


def _title_of(part: Slice, segment_id: str) -> str:
    title: str = part.pages[part.segments[segment_id]["page_id"]]["title"]
    return title


def _words_of(part: Slice, positions: Integers, ids: list[str]) -> tuple[_Words, Integers]:
    """Words of segments from their texts, and the number of words of each."""
    of_segments: list[int] = []
    hashes: list[int] = []
    frequencies: list[int] = []
    lengths = []
    hash_of: dict[str, int] = {}
    for position, segment_id in zip(positions.tolist(), ids, strict=True):
        segment = part.segments[segment_id]
        title = _title_of(part, segment_id)
        text = segment_text(title, headed_text(segment["heading"], segment["text"]))
        counts = Counter(words(text))
        lengths.append(counts.total())
        for word, count in counts.items():
            if word not in hash_of:
                hash_of[word] = word_hash(word)
            of_segments.append(position)
            hashes.append(hash_of[word])
            frequencies.append(min(count, MAX_TERM_FREQUENCY))
    found = (
        np.array(of_segments, np.int64),
        np.array(hashes, np.uint64),
        np.array(frequencies, np.int64),
    )
    return _sorted(found), np.array(lengths, np.int64)


def _stored_words(shard: LexicalShard, positions: Integers) -> _Words:
    wanted = np.zeros(len(shard), bool)
    wanted[positions] = True
    segments = shard.all_postings
    postings = np.flatnonzero(wanted[segments])
    word = np.searchsorted(shard.posting_ends, postings, side="right")
    frequencies = shard.term_frequencies[postings].astype(np.int64)
    return _sorted((segments[postings], shard.hashes[word], frequencies))


def _sorted(found: _Words) -> _Words:
    order = np.lexsort((found[1], found[0]))
    return found[0][order], found[1][order], found[2][order]

"""Segments of a shard to the files that find them by their words and their page's name."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factmill.models.arrays import Bytes, SmallIntegers
from factmill.models.lexical.bm25 import word_hash, words
from factmill.models.lexical.page_names import name_hash
from factmill.models.lexical.postings_deltas import pack, unpack
from factmill.schemas.index_files import SEGMENTS_FILE
from factmill.schemas.layout import INDEX, BuildDir, shard_name
from factmill.schemas.lexical_files import (
    LENGTHS,
    LENGTHS_SCHEMA,
    MAX_TERM_FREQUENCY,
    NAMES,
    NAMES_SCHEMA,
    POSTINGS,
    POSTINGS_SCHEMA,
    TERM_FREQUENCIES,
    TERM_FREQUENCIES_SCHEMA,
    WORDS,
    WORDS_SCHEMA,
)
from factmill.transforms.encode.unit_texts import unit_texts
from factmill.transforms.index.mapped_tables import read_parents, write_all_mapped
from factmill.transforms.tasks.reused_files import intact
from factmill.transforms.tasks.shard_files import column_map, read_batches


@dataclass(frozen=True, slots=True)
class SegmentWords:
    """The words of segments: for every word of a segment its hash, the segment's position and the
    term frequency; and the length of each segment in words.
    """

    hashes: npt.NDArray[np.uint64]
    segments: SmallIntegers
    term_frequencies: Bytes
    lengths: SmallIntegers


def segment_words(texts: Iterable[str]) -> SegmentWords:
    """The words of segments with these texts."""
    numbers: dict[str, int] = {}
    of_posting, segments, lengths = array("i"), array("i"), array("i")
    term_frequencies = array("B")
    for segment, text in enumerate(texts):
        counts = Counter(words(text))
        of_posting.extend(numbers.setdefault(word, len(numbers)) for word in counts)
        segments.extend([segment] * len(counts))
        term_frequencies.extend(min(count, MAX_TERM_FREQUENCY) for count in counts.values())
        lengths.append(counts.total())
    hashes = np.array([word_hash(word) for word in numbers], np.uint64)
    return SegmentWords(
        hashes[_numbers(of_posting)],
        _numbers(segments),
        np.frombuffer(term_frequencies, np.uint8),
        _numbers(lengths),
    )


def tables_of(postings: SegmentWords, pages: Iterable[tuple[str, int]]) -> dict[str, pa.Table]:
    """The tables of segments, by file name; `pages` has the title and the number of segments of
    each page.
    """
    order = np.lexsort((postings.segments, postings.hashes))
    found, counts = np.unique(postings.hashes, return_counts=True)
    ends = np.cumsum(counts, dtype=np.int64)
    deltas, delta_ends = pack(postings.segments[order], ends)
    return {
        WORDS: pa.table([found, ends, delta_ends], schema=WORDS_SCHEMA),
        POSTINGS: pa.table([deltas], schema=POSTINGS_SCHEMA),
        TERM_FREQUENCIES: pa.table(
            [postings.term_frequencies[order]], schema=TERM_FREQUENCIES_SCHEMA
        ),
        LENGTHS: pa.table([postings.lengths], schema=LENGTHS_SCHEMA),
        NAMES: _names(pages),
    }


def _names(pages: Iterable[tuple[str, int]]) -> pa.Table:
    names, counts = array("Q"), array("i")
    for title, count in pages:
        names.append(name_hash(title))
        counts.append(count)
    return pa.table([np.frombuffer(names, np.uint64), _numbers(counts)], schema=NAMES_SCHEMA)


def _numbers(values: array[int]) -> SmallIntegers:
    return np.frombuffer(values, np.int32)


def write_lexical_shard(build: BuildDir, shard: int, parent: BuildDir | None = None) -> None:
    """Write the lexical files of a shard. Segments keep their order, and have the text that is
    encoded for them, title first; units have no words that their segments lack.

    `parent` is a build whose files were made by the same code: postings of its segments are reused,
    because an id determines the text.
    """
    reused, positions = _of_parent(parent, shard)
    # The new position of each segment of the parent; -1 for one that is gone.
    moved_to = np.full(len(positions), -1, np.int32)
    new_texts: list[str] = []
    new_segments: list[int] = []
    for segment, unit in enumerate(unit_texts(build, shard)):
        if unit.kind != "segment":
            break
        position = positions.get(unit.unit_id)
        if position is None:
            new_texts.append(unit.text)
            new_segments.append(segment)
        else:
            moved_to[position] = segment
    read = segment_words(new_texts)
    read_segments = np.array(new_segments, np.int32)
    stays = moved_to >= 0
    lengths = np.empty(len(new_texts) + np.count_nonzero(stays), np.int32)
    lengths[read_segments] = read.lengths
    lengths[moved_to[stays]] = reused.lengths[stays]
    moved = moved_to[reused.segments]
    kept = moved >= 0
    together = SegmentWords(
        np.concatenate([reused.hashes[kept], read.hashes]),
        np.concatenate([moved[kept], read_segments[read.segments]]),
        np.concatenate([reused.term_frequencies[kept], read.term_frequencies]),
        lengths,
    )
    write_all_mapped(build.shard(INDEX, shard), tables_of(together, _pages(build, shard)))


def _pages(build: BuildDir, shard: int) -> Iterator[tuple[str, int]]:
    """Title and number of segments of each page that has any, in the order of the segments."""
    titles = column_map(build.part("10_pages", shard), "page_id", "title")
    batches = read_batches(build.part("11_segments", shard), ["page_id"])
    of_segments = (page for batch in batches for page in batch["page_id"].to_pylist())
    for page, segments in groupby(of_segments):
        yield titles[page], sum(1 for _ in segments)


def _of_parent(parent: BuildDir | None, shard: int) -> tuple[SegmentWords, dict[str, int]]:
    """The postings of the parent's shard, with its segments' positions by id; none when a file is
    missing or damaged.
    """
    names = (WORDS, POSTINGS, TERM_FREQUENCIES, LENGTHS, SEGMENTS_FILE)
    paths = [intact(parent, f"{INDEX}/{shard_name(shard)}/{name}") for name in names]
    if not all(paths):
        return segment_words([]), {}
    try:
        tables = [read_parents(path) for path in paths if path]
        found = _words_in(*tables[:-1])
        ids = tables[-1]["segment_id"].to_pylist()
    except (pa.ArrowException, KeyError, ValueError, IndexError):
        return segment_words([]), {}  # the manifest may be forged as well
    positions = {name: position for position, name in enumerate(ids)}
    outside = (found.segments < 0) | (found.segments >= len(ids))
    fits = (
        len(positions) == len(ids) == len(found.lengths)
        and len(found.hashes) == len(found.segments) == len(found.term_frequencies)
        and not outside.any()
    )
    return (found, positions) if fits else (segment_words([]), {})


def _words_in(
    words: pa.Table, deltas: pa.Table, frequencies: pa.Table, lengths: pa.Table
) -> SegmentWords:
    """The postings in the tables of a shard. Raises ValueError when they do not fit each other."""
    ends, delta_ends = (words[name].to_numpy().astype(np.int64) for name in ("stop", "gaps_stop"))
    return SegmentWords(
        np.repeat(words["hash"].to_numpy(), np.diff(ends, prepend=0)),
        unpack(deltas["byte"].to_numpy(), ends, delta_ends).astype(np.int32),
        frequencies["mentions"].to_numpy(),
        lengths["words"].to_numpy(),
    )

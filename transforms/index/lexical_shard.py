"""Segments of a shard to the files by which they are found by their words and their page's name."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factmill.models.lexical.bm25 import word_hash, words
from factmill.models.lexical.page_names import name_hash
from factmill.models.lexical.postings_deltas import pack, unpack
from factmill.schemas.index_files import SEGMENTS
from factmill.schemas.layout import INDEX, BuildDir, shard_name
from factmill.schemas.lexical_files import (
    GAPS,
    GAPS_SCHEMA,
    LENGTHS,
    LENGTHS_SCHEMA,
    MAX_MENTIONS,
    MENTIONS,
    MENTIONS_SCHEMA,
    NAMES,
    NAMES_SCHEMA,
    WORDS,
    WORDS_SCHEMA,
)
from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.storage.paths import StoragePath, local_copy
from factmill.transforms.encode.unit_texts import unit_texts
from factmill.transforms.tasks.reused_files import intact
from factmill.transforms.tasks.shard_files import column_map, read_batches


@dataclass(frozen=True, slots=True)
class Postings:
    """What segments say: the hash of a word, the position of a segment that has it and how often,
    once for every word of a segment; and how many words each segment has."""

    hashes: npt.NDArray[np.uint64]
    segments: npt.NDArray[np.int32]
    mentions: npt.NDArray[np.uint8]
    lengths: npt.NDArray[np.int32]


def lexical_tables(
    texts: Iterable[str], pages: Iterable[tuple[str, int]] = ()
) -> dict[str, pa.Table]:
    """The tables of segments with these texts, by file name; `pages` are the title and the number
    of segments of each page that they are of."""
    return _tables(_postings(texts), pages)


def _postings(texts: Iterable[str]) -> Postings:
    numbers: dict[str, int] = {}
    of_posting, segments, mentions, lengths = array("i"), array("i"), array("B"), array("i")
    for segment, text in enumerate(texts):
        counts = Counter(words(text))
        of_posting.extend(numbers.setdefault(word, len(numbers)) for word in counts)
        segments.extend([segment] * len(counts))
        mentions.extend(min(count, MAX_MENTIONS) for count in counts.values())
        lengths.append(counts.total())
    hashes = np.array([word_hash(word) for word in numbers], np.uint64)
    return Postings(
        hashes[_numbers(of_posting)],
        _numbers(segments),
        np.frombuffer(mentions, np.uint8),
        _numbers(lengths),
    )


def _tables(postings: Postings, pages: Iterable[tuple[str, int]]) -> dict[str, pa.Table]:
    order = np.lexsort((postings.segments, postings.hashes))
    found, counts = np.unique(postings.hashes, return_counts=True)
    stops = np.cumsum(counts, dtype=np.int64)
    gaps, gaps_stops = pack(postings.segments[order], stops)
    return {
        WORDS: pa.table([found, stops, gaps_stops], schema=WORDS_SCHEMA),
        GAPS: pa.table([gaps], schema=GAPS_SCHEMA),
        MENTIONS: pa.table([postings.mentions[order]], schema=MENTIONS_SCHEMA),
        LENGTHS: pa.table([postings.lengths], schema=LENGTHS_SCHEMA),
        NAMES: _names(pages),
    }


def _names(pages: Iterable[tuple[str, int]]) -> pa.Table:
    names, counts = array("Q"), array("i")
    for title, count in pages:
        names.append(name_hash(title))
        counts.append(count)
    return pa.table([np.frombuffer(names, np.uint64), _numbers(counts)], schema=NAMES_SCHEMA)


def _numbers(values: array[int]) -> npt.NDArray[np.int32]:
    return np.frombuffer(values, np.int32)


def write_lexical_shard(build: BuildDir, shard: int, parent: BuildDir | None = None) -> None:
    """Write the lexical files of a shard. Segments keep their order, and have the text that is
    encoded for them, title first; units say nothing that their segments do not say.

    `parent` is a build whose files were made by the same code: what segments have there is taken
    over, as an id says what the text is."""
    known, places = _known(parent, shard)
    new_places = np.full(len(places), -1, np.int32)
    new: list[str] = []
    new_segments: list[int] = []
    for segment, unit in enumerate(unit_texts(build, shard)):
        if unit.kind != "segment":
            break
        place = places.get(unit.unit_id)
        if place is None:
            new.append(unit.text)
            new_segments.append(segment)
        else:
            new_places[place] = segment
    read = _postings(new)
    read_places = np.array(new_segments, np.int32)
    lengths = np.empty(len(new) + np.count_nonzero(new_places >= 0), np.int32)
    lengths[read_places] = read.lengths
    lengths[new_places[new_places >= 0]] = known.lengths[new_places >= 0]
    moved = new_places[known.segments]
    stay = moved >= 0
    together = Postings(
        np.concatenate([known.hashes[stay], read.hashes]),
        np.concatenate([moved[stay], read_places[read.segments]]),
        np.concatenate([known.mentions[stay], read.mentions]),
        lengths,
    )
    write_tables(build.shard(INDEX, shard), _tables(together, _pages(build, shard)))


def _pages(build: BuildDir, shard: int) -> Iterator[tuple[str, int]]:
    """Title and number of segments of each page that has any, in the order of the segments."""
    titles = column_map(build.part("10_pages", shard), "page_id", "title")
    batches = read_batches(build.part("11_segments", shard), ["page_id"])
    of_segments = (page for batch in batches for page in batch["page_id"].to_pylist())
    for page, segments in groupby(of_segments):
        yield titles[page], sum(1 for _ in segments)


def _known(parent: BuildDir | None, shard: int) -> tuple[Postings, dict[str, int]]:
    """The postings of the parent's shard, with its segments' positions by id; none when a file
    cannot be had."""
    names = (WORDS, GAPS, MENTIONS, LENGTHS, SEGMENTS)
    paths = [intact(parent, f"{INDEX}/{shard_name(shard)}/{name}") for name in names]
    if not all(paths):
        return _postings([]), {}
    opened = [
        pa.ipc.open_file(pa.memory_map(str(local_copy(path)))).read_all() for path in paths if path
    ]
    found, gaps, mentions, lengths, segments = opened
    stops = found["stop"].to_numpy().astype(np.int64)
    hashes = np.repeat(found["hash"].to_numpy(), np.diff(stops, prepend=0))
    return (
        Postings(
            hashes,
            unpack(gaps["byte"].to_numpy(), stops).astype(np.int32),
            mentions["mentions"].to_numpy(),
            lengths["words"].to_numpy(),
        ),
        {name: place for place, name in enumerate(segments["segment_id"].to_pylist())},
    )


def write_tables(folder: StoragePath, tables: dict[str, pa.Table]) -> None:
    """Write each table as one uncompressed batch, whole or not at all."""
    for name, table in tables.items():
        path = folder / name
        with whole_file(path) as temporary, pa.ipc.new_file(str(temporary), table.schema) as file:
            file.write_table(table)

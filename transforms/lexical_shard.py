"""Segments of a shard to the files by which they are found by their words and their page's name."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, takewhile
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from models.lexical import word_hash, words
from models.page_names import name_hash
from schemas.layout import INDEX, BuildDir, whole_file
from schemas.lexical_files import (
    LENGTHS,
    LENGTHS_SCHEMA,
    MAX_MENTIONS,
    NAMES,
    NAMES_SCHEMA,
    POSTINGS,
    POSTINGS_SCHEMA,
    WORDS,
    WORDS_SCHEMA,
)
from transforms.shards import column_map, read_batches
from transforms.unit_texts import unit_texts


def lexical_tables(
    texts: Iterable[str], pages: Iterable[tuple[str, int]] = ()
) -> dict[str, pa.Table]:
    """The tables of segments with these texts, by file name; `pages` are the title and the number
    of segments of each page that they are of."""
    numbers: dict[str, int] = {}
    of_posting, segments, mentions, lengths = array("i"), array("i"), array("B"), array("i")
    for segment, text in enumerate(texts):
        counts = Counter(words(text))
        of_posting.extend(numbers.setdefault(word, len(numbers)) for word in counts)
        segments.extend([segment] * len(counts))
        mentions.extend(min(count, MAX_MENTIONS) for count in counts.values())
        lengths.append(counts.total())
    hashes = np.array([word_hash(word) for word in numbers], np.uint64)
    found, word_of_posting = np.unique(hashes[_numbers(of_posting)], return_inverse=True)
    # Stable, so that a word's segments stay in order.
    order = np.argsort(word_of_posting, kind="stable")
    stops = np.cumsum(np.bincount(word_of_posting, minlength=len(found)))
    postings = [_numbers(segments)[order], np.frombuffer(mentions, np.uint8)[order]]
    return {
        WORDS: pa.table([found, stops.astype(np.int64)], schema=WORDS_SCHEMA),
        POSTINGS: pa.table(postings, schema=POSTINGS_SCHEMA),
        LENGTHS: pa.table([_numbers(lengths)], schema=LENGTHS_SCHEMA),
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


def write_lexical_shard(build: BuildDir, shard: int) -> None:
    """Write the lexical files of a shard. Segments keep their order, and have the text that is
    encoded for them, title first; units say nothing that their segments do not say."""
    units = takewhile(lambda unit: unit.kind == "segment", unit_texts(build, shard))
    write_tables(
        build.shard(INDEX, shard),
        lexical_tables((unit.text for unit in units), _pages(build, shard)),
    )


def _pages(build: BuildDir, shard: int) -> Iterator[tuple[str, int]]:
    """Title and number of segments of each page that has any, in the order of the segments."""
    titles = column_map(build.part("10_pages", shard), "page_id", "title")
    batches = read_batches(build.part("11_segments", shard), ["page_id"])
    of_segments = (page for batch in batches for page in batch["page_id"].to_pylist())
    for page, segments in groupby(of_segments):
        yield titles[page], sum(1 for _ in segments)


def write_tables(folder: Path, tables: dict[str, pa.Table]) -> None:
    """Write each table as one uncompressed batch, whole or not at all."""
    for name, table in tables.items():
        path = folder / name
        with whole_file(path) as temporary, pa.ipc.new_file(str(temporary), table.schema) as file:
            file.write_table(table)

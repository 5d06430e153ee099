"""The lexical files of a shard, mapped into memory: opening reads only the ends of files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from factmill.models.arrays import Bytes, Integers, SmallIntegers
from factmill.models.lexical.bm25 import Hashes
from factmill.models.lexical.postings_deltas import unpack
from factmill.runtime.mapped.arrow_tables import MappedTable
from factmill.schemas.errors import CorruptStore
from factmill.schemas.lexical_files import (
    LENGTHS,
    LENGTHS_SCHEMA,
    NAMES,
    NAMES_SCHEMA,
    POSTINGS,
    POSTINGS_SCHEMA,
    TERM_FREQUENCIES,
    TERM_FREQUENCIES_SCHEMA,
    WORDS,
    WORDS_SCHEMA,
)
from factmill.schemas.storage.paths import StoragePath


@dataclass(frozen=True)
class LexicalShard:
    """Words by hash, with the end of each word's postings, counted in postings and in bytes; the
    deltas and term frequencies of the postings; the length of each segment in words; the name and
    the number of segments of each page.
    """

    folder: StoragePath
    hashes: Hashes
    posting_ends: SmallIntegers
    delta_ends: SmallIntegers
    deltas: Bytes
    term_frequencies: Bytes
    lengths: SmallIntegers
    page_names: Hashes
    page_segments: SmallIntegers

    @classmethod
    def open(cls, folder: StoragePath) -> LexicalShard:
        """Raises CorruptStore when a file is missing, damaged or does not fit the others."""
        words = MappedTable(folder / WORDS, WORDS_SCHEMA)
        deltas = MappedTable(folder / POSTINGS, POSTINGS_SCHEMA)
        frequencies = MappedTable(folder / TERM_FREQUENCIES, TERM_FREQUENCIES_SCHEMA)
        lengths = MappedTable(folder / LENGTHS, LENGTHS_SCHEMA)
        names = MappedTable(folder / NAMES, NAMES_SCHEMA)
        posting_ends, delta_ends = words.numbers("stop"), words.numbers("gaps_stop")
        for name, table, ends in (
            (TERM_FREQUENCIES, frequencies, posting_ends),
            (POSTINGS, deltas, delta_ends),
        ):
            if (int(ends[-1]) if len(ends) else 0) != len(table):
                raise CorruptStore(f"{folder / name}: its length does not match {WORDS}")
        return cls(
            folder,
            words.values("hash", np.uint64),
            posting_ends,
            delta_ends,
            deltas.values("byte", np.uint8),
            frequencies.values("mentions", np.uint8),
            lengths.numbers("words"),
            names.values("name", np.uint64),
            names.numbers("segments"),
        )

    def __len__(self) -> int:
        """Number of segments."""
        return len(self.lengths)

    @cached_property
    def all_postings(self) -> Integers:
        """The segment of each posting; reads all of them. Raises ValueError for inconsistent
        deltas.
        """
        return unpack(
            self.deltas, self.posting_ends.astype(np.int64), self.delta_ends.astype(np.int64)
        )

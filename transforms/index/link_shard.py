"""Names in the segments of a shard: links from each segment to the pages with these names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa

from factmill.models.arrays import Integers, SmallIntegers
from factmill.models.lexical.bm25 import Hashes
from factmill.models.lexical.names_in_texts import NameSet
from factmill.models.lexical.postings_deltas import unpack
from factmill.schemas.lexical_files import POSTINGS, WORDS
from factmill.schemas.link_files import (
    LINK_ENDS,
    LINK_ENDS_SCHEMA,
    LINK_NAMES,
    LINK_NAMES_SCHEMA,
    LINK_WORDS,
    LINK_WORDS_SCHEMA,
    LINKS,
    LINKS_SCHEMA,
)

# The distinct word hashes of a name, ascending.
NameWords = tuple[int, ...]

_TEXTS_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class FoundLinks:
    """Segments, by position, and the names in them: an entry for each name of a segment, in the
    order of segments. `words` has the words of each name.
    """

    segments: SmallIntegers
    names: Hashes
    words: dict[int, NameWords]

    def moved(self, to: SmallIntegers) -> FoundLinks:
        """The same links with segments at other positions; -1 drops a segment."""
        segments = to[self.segments]
        kept = segments >= 0
        return FoundLinks(segments[kept], self.names[kept], self.words)


NO_LINKS = FoundLinks(np.empty(0, np.int32), np.empty(0, np.uint64), {})


def joined(parts: Iterable[FoundLinks]) -> FoundLinks:
    """The links of different segments together."""
    all_parts = [NO_LINKS, *parts]
    return FoundLinks(
        np.concatenate([part.segments for part in all_parts]),
        np.concatenate([part.names for part in all_parts]),
        {name: words for part in all_parts for name, words in part.words.items()},
    )


def read_links(texts: pa.ChunkedArray, segments: Integers, names: NameSet) -> FoundLinks:
    """The links of some segments of a shard; `texts` are the texts of all."""
    parts = [
        segments[first : first + _TEXTS_AT_ONCE].astype(np.int32)
        for first in range(0, len(segments), _TEXTS_AT_ONCE)
    ]
    return joined(_links_in(texts.take(pa.array(some)).to_pylist(), some, names) for some in parts)


def _links_in(texts: Iterable[str], segments: SmallIntegers, names: NameSet) -> FoundLinks:
    found = names.in_texts(texts)
    hashes = names.hashes[found.names]
    by_text = np.argsort(found.texts, kind="stable")
    phrases = zip(hashes.tolist(), found.starts.tolist(), found.lengths.tolist(), strict=True)
    return FoundLinks(
        segments[found.texts[by_text]],
        hashes[by_text],
        {
            name: tuple(sorted(set(found.words[start : start + length].tolist())))
            for name, start, length in phrases
        },
    )


def segments_with_all(words: Sequence[NameWords], lexical: dict[str, pa.Table]) -> Integers:
    """The segments of a shard that have all words of any of the names, ascending; `lexical` are the
    tables of the shard's words and postings.
    """
    postings = _WordPostings(lexical)
    found = [postings.of_all(name) for name in words]
    return np.unique(np.concatenate([np.empty(0, np.int64), *found]))


class _WordPostings:
    """The postings of a shard by word."""

    def __init__(self, lexical: dict[str, pa.Table]) -> None:
        words = lexical[WORDS]
        self._hashes: Hashes = words["hash"].to_numpy()
        self._ends, self._byte_ends = (
            np.append(0, words[name].to_numpy().astype(np.int64)) for name in ("stop", "gaps_stop")
        )
        self._deltas = lexical[POSTINGS]["byte"].to_numpy()

    def of_all(self, words: NameWords) -> Integers:
        """The segments that have all of these words (at least one)."""
        wanted = np.array(words, np.uint64)
        numbers = self._hashes.searchsorted(wanted)
        if numbers[-1] == len(self._hashes) or np.any(self._hashes[numbers] != wanted):
            return np.empty(0, np.int64)
        rarest_first = numbers[np.argsort(self._ends[numbers + 1] - self._ends[numbers])]
        return reduce(np.intersect1d, map(self._of, rarest_first.tolist()))

    def _of(self, word: int) -> Integers:
        ends, byte_ends = self._ends[word : word + 2], self._byte_ends[word : word + 2]
        deltas = self._deltas[byte_ends[0] : byte_ends[1]]
        return unpack(deltas, ends[1:] - ends[0], byte_ends[1:] - byte_ends[0])


def link_tables(links: FoundLinks, segments: int, words: Hashes) -> dict[str, pa.Table]:
    """The tables of the links of a shard with this many segments, by file name; `words` are the
    ascending hashes of all words of the shard.
    """
    names, numbers = np.unique(links.names, return_inverse=True)
    of_names = [links.words[name] for name in names.tolist()]
    flat = np.array([word for of_name in of_names for word in of_name], np.uint64)
    in_order = numbers[np.argsort(links.segments, kind="stable")]
    counts = np.bincount(links.segments, minlength=segments)
    return {
        LINK_NAMES: pa.table([names, _ends(list(map(len, of_names)))], schema=LINK_NAMES_SCHEMA),
        LINK_WORDS: pa.table([words.searchsorted(flat).astype(np.int32)], schema=LINK_WORDS_SCHEMA),
        LINKS: pa.table([in_order.astype(np.int32)], schema=LINKS_SCHEMA),
        LINK_ENDS: pa.table([_ends(counts)], schema=LINK_ENDS_SCHEMA),
    }


def links_of(tables: dict[str, pa.Table], words: Hashes) -> FoundLinks:
    """The inverse of `link_tables`."""
    names, stops = (tables[LINK_NAMES][column].to_numpy() for column in ("name", "stop"))
    ends = tables[LINK_ENDS]["stop"].to_numpy()
    of_names = np.split(words[tables[LINK_WORDS]["word"].to_numpy()], stops[:-1])
    return FoundLinks(
        np.arange(len(ends), dtype=np.int32).repeat(np.diff(ends, prepend=np.int32(0))),
        names[tables[LINKS]["name"].to_numpy()],
        {name: tuple(of.tolist()) for name, of in zip(names.tolist(), of_names, strict=False)},
    )


def _ends(counts: Sequence[int] | Integers) -> SmallIntegers:
    return np.cumsum(counts, dtype=np.int32)

"""Segments found by the words they share with a query: BM25 over the mapped files of all shards.

    query -> words -> their postings in each shard -> the rarest words that may be read -> scores

Frequencies and the mean length are those of all shards together, summed when a query asks, so a
shard may be written anew without the others. Opening maps files and reads their ends. Knows nothing
of codes; `search/fusion.py` joins both kinds of scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from factmill.models.lexical.bm25 import (
    Floats,
    Hashes,
    inverse_frequencies,
    length_norms,
    word_hash,
    words,
)
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.runtime.lexical.max_score import best_segments
from factmill.runtime.lexical.named_pages import NamedPages, PageNames
from factmill.runtime.lexical.postings import Vocabulary
from factmill.runtime.lexical.recent_words import RecentWords, WordGains
from factmill.runtime.lexical.segment_links import SegmentLinks, ShardLinks
from factmill.runtime.lexical.zero_arrays import ZeroArrays
from factmill.runtime.search.sharded import Numbers, are_among

# Of a longer query the rest is not read; of more words the rarest count.
_MAX_CHARACTERS = 10_000
_MAX_WORDS = 256
# A query reads the postings of its rarest words, as far as these allow. More of them find no more
# (docs/log.md): what is in a tenth of all segments tells little.
_MIN_POSTINGS = 8192
_POSTINGS_SHARE = 0.125
# Of words asked for lately, kept in memory: 12 bytes each, 48 MB in all.
_KEPT_POSTINGS = 1 << 22


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """What a query gives every segment; `most` is what all of its words together could give.
    `gains` are those of its words, the rarest first, `idf` the most that each gives."""

    all: Floats
    most: float
    gains: Sequence[WordGains]
    idf: Floats

    def best(self, count: int) -> Numbers:
        """The best segments that share a word, ascending; of equal ones the first."""
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count}")
        return best_segments(self.all, [word.segments for word in self.gains], self.idf, count)

    def within(self, segments: npt.NDArray[np.bool_]) -> LexicalScores:
        """The same for segments with a flag; 0 for the others."""
        return replace(self, all=self.all * segments)

    def of(self, segments: Numbers) -> Floats:
        """Scores of segments; 0 for those that share no word."""
        return self.all.take(segments)


class LexicalIndex:
    """The shards of a build. Searching is thread-safe."""

    def __init__(
        self, shards: Sequence[LexicalShard], link_shards: Sequence[ShardLinks] = ()
    ) -> None:
        """`link_shards` are as many, or none in a build of before there were links."""
        self._shards, self._link_shards = shards, link_shards
        self._segments = sum(map(len, shards))
        self._recent = RecentWords(_KEPT_POSTINGS)
        self._zeros = ZeroArrays(self._segments)

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self._shards)

    @cached_property
    def _norms(self) -> Floats:
        """What is added below the line for each segment's length (`bm25`)."""
        lengths = np.concatenate([np.empty(0, np.int32), *(s.lengths for s in self._shards)])
        lengths = np.maximum(lengths, 0)
        mean = int(lengths.sum(dtype=np.int64)) / max(self._segments, 1)
        return length_norms(lengths, mean)

    @cached_property
    def _names(self) -> PageNames:
        return PageNames(self._shards)

    @cached_property
    def _links(self) -> SegmentLinks:
        words = self._vocabulary
        return SegmentLinks(
            self._link_shards, self._names.numbers, lambda hashes: words.find(hashes)[0]
        )

    @contextmanager
    def scores(self, query: str) -> Iterator[LexicalScores]:
        """BM25 of the query's words, each counted once, with every segment: until the context ends,
        then another query writes there. Of many words the rarest are read, as far as their postings
        are few enough; the rarest of all in any case. Raises CorruptStore."""
        numbers, counts = self._vocabulary.find(_asked(query))
        most_postings = max(_MIN_POSTINGS, int(_POSTINGS_SHARE * self._segments))
        chosen = _affordable(counts, _MAX_WORDS, most_postings)
        idf = self._idf(counts[chosen])
        gains = self._gains(numbers[chosen], counts[chosen], idf)
        with self._zeros.lent() as scores:
            try:
                for of_word in gains:
                    np.add.at(scores, of_word.segments, of_word.gained)
                yield LexicalScores(scores, float(idf.sum()), gains, idf)
            finally:
                for of_word in gains:
                    scores[of_word.segments] = 0.0

    def _gains(self, words: Numbers, counts: Numbers, idf: Floats) -> list[WordGains]:
        """What each word gives the segments that have it, of recent words from memory."""
        numbers = words.tolist()
        found = self._recent.get(numbers)
        missing = [n for n, number in enumerate(numbers) if number not in found]
        if missing:
            counts = counts[missing]
            postings = self._vocabulary.read(words[missing])
            frequencies = postings.term_frequencies.astype(np.float32)
            gained = frequencies / (frequencies + self._norms.take(postings.segments))
            gained *= np.repeat(idf[missing], counts)
            ends = np.cumsum(counts).tolist()
            read = {
                numbers[n]: WordGains(postings.segments[start:end], gained[start:end])
                for n, start, end in zip(missing, [0, *ends], ends, strict=False)
            }
            self._recent.put(read)
            found |= read
        return [found[number] for number in numbers]

    def named(self, segments: Numbers, text_of: Callable[[int], str], query: str) -> NamedPages:
        """The pages that segments name with words that the query lacks, and the idf of these.
        `text_of` gives the text of a segment, which is read where there are no links. Raises
        CorruptStore."""
        if self._link_shards:
            return self._linked(segments, query)
        texts = map(text_of, segments.tolist())
        return self._names.named(texts, _asked(query), self._idf_of)

    def _linked(self, segments: Numbers, query: str) -> NamedPages:
        links = self._links.of(segments)
        idf = self._idf(self._vocabulary.counts(links.words))
        asked, counts = self._vocabulary.find(_asked(query))
        idf[are_among(links.words, asked[counts > 0])] = 0.0
        of_name = np.arange(len(links.names)).repeat(links.lengths)
        nats = np.bincount(of_name, idf, len(links.names)).astype(np.float32)
        return self._names.of_names(links.segments, links.names, nats, float(idf.sum()))

    def asked_for(self, query: str) -> NamedPages:
        """The pages that the query itself names, and the idf of their names. Raises
        CorruptStore."""
        text = query[:_MAX_CHARACTERS]
        return self._names.named([text], np.empty(0, np.uint64), self._idf_of)

    def search(self, query: str, count: int) -> tuple[Numbers, Floats]:
        """Numbers and scores of the best segments, best first, then by number; none for a query
        without a word that any segment has."""
        with self.scores(query) as scores:
            segments = scores.best(count)
            values = scores.of(segments)
        order = np.argsort(-values, kind="stable")
        return segments[order], values[order]

    def _idf_of(self, hashes: Hashes) -> Floats:
        return self._idf(self._vocabulary.find(hashes)[1])

    def _idf(self, counts: Numbers) -> Floats:
        # A damaged file may have more postings of a word than segments.
        return inverse_frequencies(np.minimum(counts, self._segments), self._segments)


def _affordable(counts: Numbers, most_words: int, most_postings: int) -> Numbers:
    """The words to read, the rarest first, as far as their postings are few enough; the rarest of
    all in any case."""
    rarest = np.argsort(counts, kind="stable")
    rarest = rarest[counts[rarest] > 0][:most_words]
    affordable = int(np.searchsorted(np.cumsum(counts[rarest]), most_postings, side="right"))
    return rarest[: max(1, affordable)]


# For a query's second stage, so a few for each thread will do.
@lru_cache(maxsize=64)
def _asked(query: str) -> Hashes:
    """Hashes of the words of a query, ascending, each once."""
    return np.array(sorted(set(map(word_hash, words(query[:_MAX_CHARACTERS])))), np.uint64)

"""BM25 scores of segments for a query, over the mapped files of all shards.

    query -> words -> their postings in each shard -> the rarest words within the budget -> scores

Document frequencies and the mean length are summed over all shards at query time, so a shard can be
rewritten without the others. Opening maps files and reads their ends. Knows nothing of codes;
`search/fusion.py` joins both kinds of scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from factmill.models.arrays import Flags, Floats, Integers
from factmill.models.lexical.bm25 import Hashes, inverse_frequencies, length_norms, word_hash, words
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.runtime.lexical.max_score import best_segments
from factmill.runtime.lexical.named_pages import NamedPages, PageNames
from factmill.runtime.lexical.postings import Vocabulary
from factmill.runtime.lexical.recent_words import RecentWords, WordGains
from factmill.runtime.lexical.segment_links import SegmentLinks, ShardLinks
from factmill.runtime.lexical.zero_arrays import ZeroArrays
from factmill.runtime.search.sharded import are_among

# The rest of a longer query is ignored; of more words only the rarest count.
_MAX_CHARACTERS = 10_000
_MAX_WORDS = 256
# A query reads the postings of its rarest words, up to these limits. More do not help
# (docs/log.md): a word in a tenth of all segments says little.
_MIN_POSTINGS = 8192
_POSTINGS_SHARE = 0.125
# Postings of recently used words kept in memory: 12 bytes each, 48 MB in all.
_KEPT_POSTINGS = 1 << 22


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """The score of every segment for a query; `most` is the sum of the idf of its words, an upper
    bound. `gains` are the contributions of its words, rarest first, `idf` the bound of each.
    """

    all: Floats
    most: float
    gains: Sequence[WordGains]
    idf: Floats

    def best(self, count: int) -> Integers:
        """The best segments that share a word, ascending; ties go to the first ones."""
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count}")
        return best_segments(self.all, [word.segments for word in self.gains], self.idf, count)

    def within(self, segments: Flags) -> LexicalScores:
        """The same scores for flagged segments; 0 for the others."""
        return replace(self, all=self.all * segments)

    def of(self, segments: Integers) -> Floats:
        """Scores of segments; 0 for those without a shared word."""
        return self.all.take(segments)


class LexicalIndex:
    """The lexical files of a build. Searching is thread-safe."""

    def __init__(
        self, shards: Sequence[LexicalShard], link_shards: Sequence[ShardLinks] = ()
    ) -> None:
        """`link_shards` has one entry per shard, or is empty for a build older than links."""
        self._shards, self._link_shards = shards, link_shards
        self._segments = sum(map(len, shards))
        self._recent = RecentWords(_KEPT_POSTINGS)
        self._zeros = ZeroArrays(self._segments)

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self._shards)

    @cached_property
    def _norms(self) -> Floats:
        """The length term in the denominator of BM25, for each segment."""
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
        """BM25 of the distinct words of the query for every segment, until the context ends; then
        the arrays are reused. Of many words, the rarest whose postings fit the budget are read, and
        always the rarest of all. Raises CorruptStore.
        """
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

    def _gains(self, words: Integers, counts: Integers, idf: Floats) -> list[WordGains]:
        """The contribution of each word to the segments that have it; from memory for recent
        words.
        """
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

    def named(self, segments: Integers, text_of: Callable[[int], str], query: str) -> NamedPages:
        """The pages that segments name with words that the query lacks, and the idf of these words.
        `text_of` returns the text of a segment, for builds without links. Raises CorruptStore.
        """
        if self._link_shards:
            return self._linked(segments, query)
        texts = map(text_of, segments.tolist())
        return self._names.named(texts, _asked(query), self._idf_of)

    def _linked(self, segments: Integers, query: str) -> NamedPages:
        links = self._links.of(segments)
        idf = self._idf(self._vocabulary.counts(links.words))
        asked, counts = self._vocabulary.find(_asked(query))
        idf[are_among(links.words, asked[counts > 0])] = 0.0
        of_name = np.arange(len(links.names)).repeat(links.lengths)
        nats = np.bincount(of_name, idf, len(links.names)).astype(np.float32)
        return self._names.of_names(links.segments, links.names, nats, float(idf.sum()))

    def asked_for(self, query: str) -> NamedPages:
        """The pages that the query itself names, and the idf of their names. Raises
        CorruptStore.
        """
        text = query[:_MAX_CHARACTERS]
        return self._names.named([text], np.empty(0, np.uint64), self._idf_of)

    def search(self, query: str, count: int) -> tuple[Integers, Floats]:
        """Numbers and scores of the best segments, best first, ties by number; empty when no
        segment has a word of the query.
        """
        with self.scores(query) as scores:
            segments = scores.best(count)
            values = scores.of(segments)
        order = np.argsort(-values, kind="stable")
        return segments[order], values[order]

    def _idf_of(self, hashes: Hashes) -> Floats:
        return self._idf(self._vocabulary.find(hashes)[1])

    def _idf(self, counts: Integers) -> Floats:
        # In a damaged file, a word may have more postings than there are segments.
        return inverse_frequencies(np.minimum(counts, self._segments), self._segments)


def _affordable(counts: Integers, most_words: int, most_postings: int) -> Integers:
    """The words to read, rarest first, while their postings fit the budget; always at least the
    rarest.
    """
    rarest = np.argsort(counts, kind="stable")
    rarest = rarest[counts[rarest] > 0][:most_words]
    affordable = int(np.searchsorted(np.cumsum(counts[rarest]), most_postings, side="right"))
    return rarest[: max(1, affordable)]


# A small cache is enough: a query's second stage repeats its words.
@lru_cache(maxsize=64)
def _asked(query: str) -> Hashes:
    """Distinct word hashes of a query, ascending."""
    return np.array(sorted(set(map(word_hash, words(query[:_MAX_CHARACTERS])))), np.uint64)

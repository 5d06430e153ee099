"""Ranks pages by codes, by words, and along names that lead from page to page.

    segments by codes and by words, and those of pages that the query names -> pages
    segments of the pages that the query names, and of the best ones -> pages that these name
    all of these pages -> named ones are lifted (`link_scorer`) -> best first

The names in a segment are stored (`segment_links`); the pages with a name are looked up in the
titles of all shards (`named_pages`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from factmill.models.arrays import Floats, Integers
from factmill.models.links.link_scorer import FEATURES, LinkScorer, lifted
from factmill.runtime.lexical.bm25_scores import LexicalIndex, LexicalScores
from factmill.runtime.lexical.named_pages import NamedPages
from factmill.runtime.search.linked_pages import AskedPages, Links, best_sources, link_features
from factmill.runtime.search.pages import Pages, ScoredPages, ScoredSegments, ranked
from factmill.runtime.search.row_scores import RowScores
from factmill.runtime.search.search_filter import Allowed
from factmill.runtime.search.searcher import Searcher
from factmill.runtime.search.sharded import are_among, distinct, first_of_each, without

# The number of candidate segments by words, beside those by codes.
_LEXICAL_SEGMENTS = 100
# How many of the best pages are followed although the query does not name them, and how many
# segments with the best rows are read of each page.
_BEST_PAGES = 2
_SEGMENTS_READ = 2

_NO_NUMBERS = np.empty(0, np.int64)
_NO_FEATURES = np.empty((0, len(FEATURES)), np.float32)


@dataclass(frozen=True, slots=True)
class UnrankedPages:
    """Pages found for a query; positions of the named ones, their FEATURES, and the segment that
    names each, -1 if only the query does.
    """

    pages: ScoredPages
    named: Integers
    features: Floats
    led_by: Integers


class PageRanking:
    """Ranks the pages of an open index. Thread-safe."""

    def __init__(
        self,
        searcher: Searcher,
        lexical: LexicalIndex,
        text_of: Callable[[int], str],
        scorer: LinkScorer,
    ) -> None:
        """`text_of` returns the text of a segment, for a build without links."""
        self._searcher, self._lexical = searcher, lexical
        self._text_of, self._scorer = text_of, scorer

    def ranked(
        self,
        query: str,
        row_scores: RowScores,
        by_codes: Integers,
        allowed: Allowed | None = None,
    ) -> Pages:
        """The pages of the segments found by codes, words and names, best first. `allowed`
        restricts them. Raises CorruptStore.
        """
        found = self.unranked(query, row_scores, by_codes, allowed)
        if not len(found.pages):
            return ranked(found.pages, found.pages.fused)
        scores = found.pages.fused.copy()
        lifts = self._scorer.lifts(found.features)
        scores[found.named] = lifted(scores[found.named], scores.max(), lifts)
        led_by = np.full(len(scores), -1, np.int64)
        # A lowered page was found despite its link, not through it.
        led_by[found.named] = np.where(lifts > 0, found.led_by, -1)
        return ranked(found.pages, scores, led_by)

    def unranked(
        self,
        query: str,
        row_scores: RowScores,
        by_codes: Integers,
        allowed: Allowed | None = None,
    ) -> UnrankedPages:
        """The pages found for a query, before ranking. Raises CorruptStore."""
        with self._lexical.scores(query) as words:
            by_words = words.within(allowed.segments) if allowed else words
            return self._by_words(query, row_scores, by_codes, by_words, allowed)

    def _by_words(
        self,
        query: str,
        row_scores: RowScores,
        by_codes: Integers,
        words: LexicalScores,
        allowed: Allowed | None,
    ) -> UnrankedPages:
        by_name = self._lexical.asked_for(query)
        named = allowed.among(by_name.segments) if allowed else by_name.segments
        segments = distinct(np.concatenate([by_codes, words.best(_LEXICAL_SEGMENTS), named]))
        found = self._searcher.scored(row_scores, segments)
        pages = self._searcher.pages(found, words)
        if not len(pages):
            return UnrankedPages(pages, _NO_NUMBERS, _NO_FEATURES, _NO_NUMBERS)
        asked = self._asked(pages, by_name, words.most)
        read = self._segments_of(found, pages.pages[best_sources(pages, asked, _BEST_PAGES)])
        links = self._lexical.named(read, self._text_of, query)
        more = without(links.segments, segments)
        if allowed:
            more = allowed.among(more)
        if len(more):
            found = found.merged_with(self._searcher.scored(row_scores, more))
            pages = self._searcher.pages(found, words)
            asked = self._asked(pages, by_name, words.most)
        return UnrankedPages(
            pages, *link_features(pages, asked, self._links(pages, found, links, read))
        )

    def _asked(self, pages: ScoredPages, named: NamedPages, query_nats: float) -> AskedPages:
        positions = self._positions(pages, named)
        scored = positions >= 0
        once, first = first_of_each(positions[scored])
        return AskedPages(once, named.nats[scored][first], named.all_nats, query_nats)

    def _links(
        self, pages: ScoredPages, found: ScoredSegments, named: NamedPages, read: Integers
    ) -> Links:
        segments = read[named.texts]
        sources = pages.pages.searchsorted(self._searcher.table.pages[segments])
        fits = found.best_rows[found.segments.searchsorted(segments)] - found.best_rows.max()
        targets = self._positions(pages, named)
        others = (targets >= 0) & (sources != targets)
        return Links(
            sources[others], targets[others], segments[others], named.nats[others], fits[others]
        )

    def _positions(self, pages: ScoredPages, named: NamedPages) -> Integers:
        """Named pages as positions among the scored pages; -1 for those removed by a filter."""
        wanted = self._searcher.table.pages[named.first]
        near = np.minimum(pages.pages.searchsorted(wanted), len(pages) - 1)
        return np.where(pages.pages[near] == wanted, near, -1)

    def _segments_of(self, found: ScoredSegments, pages: Integers) -> Integers:
        """The scored segments of each page with the best rows, as many as are read; pages and
        segments ascend.
        """
        of_page = self._searcher.table.pages[found.segments]
        own = are_among(of_page, pages).nonzero()[0]
        own = own[np.lexsort((-found.best_rows[own], of_page[own]))]
        of_own = of_page[own]
        rank = np.arange(len(own)) - of_own.searchsorted(of_own)
        return np.sort(found.segments[own[rank < _SEGMENTS_READ]])

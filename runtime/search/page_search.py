"""From an encoded query to pages with their texts: the steps of a search in an open index.

    candidates -> pages, best first -> the first k, with their units -> with their paths

If these are too few pages, more candidates are examined. Thread-safe.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from factmill.models.arrays import Floats, Integers
from factmill.models.links.link_scorer import LinkScorer
from factmill.runtime.mapped.open_files import IndexFiles
from factmill.runtime.search.candidates import BY_CODES, WITH_WORDS, Effort
from factmill.runtime.search.hits import Hit
from factmill.runtime.search.page_ranking import PageRanking, UnrankedPages
from factmill.runtime.search.pages import Pages, ranked
from factmill.runtime.search.row_scores import Query
from factmill.runtime.search.scoring import DEFAULT_SCORING, Scoring
from factmill.runtime.search.search_filter import Allowed
from factmill.runtime.search.searcher import Searcher
from factmill.runtime.search.sharded import distinct
from factmill.runtime.search.texts import Texts

_UNITS_PER_HIT = 5
# How many of the best units of a naming segment are read to find one that contains the name too.
_UNITS_READ = 8
# The factor on candidates that are on too few pages.
_MORE_CANDIDATES = 8


class PageSearch:
    """Searches the open files of an index. Its methods raise CorruptStore."""

    def __init__(
        self, files: IndexFiles, searcher: Searcher, texts: Texts, scorer: LinkScorer
    ) -> None:
        """`scorer` decides how far named pages are lifted."""
        self._files, self._searcher, self._texts = files, searcher, texts
        self._scorer = scorer

    @cached_property
    def _ranking(self) -> PageRanking:
        return PageRanking(self._searcher, self._files.lexical, self._texts.segment, self._scorer)

    def hits_of_segments(
        self, query: Query, k: int, most: int, tables: int, allowed: Allowed | None
    ) -> list[list[Hit]]:
        """The k best pages, each with `most` of its segments: the best one, then the first ones,
        which say what a page is about. The best page also has `tables` more tables from further
        down. Each has its own similarity to the query.
        """
        found = self.for_hits(query, k, DEFAULT_SCORING, allowed).first(k)
        segments = [
            self._shown_of(page, best, most, tables if rank == 0 else 0, allowed)
            for rank, (page, best) in enumerate(
                zip(found.pages.tolist(), found.segments.tolist(), strict=True)
            )
        ]
        counts = list(map(len, segments))
        flat = np.array([one for of_page in segments for one in of_page], np.int64)
        repeated = replace(found.at(np.arange(len(found)).repeat(counts)), segments=flat)
        asked = distinct(flat)
        scored = self._searcher.scored(self._searcher.row_scores(query), asked)
        similar = iter(scored.best_rows[asked.searchsorted(flat)].round(6).tolist())
        hits = iter(self.read(query, repeated, len(flat), allowed=allowed))
        return [
            [next(hits)._replace(rank=rank, similarity=next(similar)) for _ in range(count)]
            for rank, count in enumerate(counts, 1)
        ]

    def candidates(
        self,
        query: Query,
        k: int,
        spread: bool = False,
        effort: Effort = BY_CODES,
        allowed: Allowed | None = None,
    ) -> Integers:
        """The segments from which k hits are chosen by codes."""
        return self._searcher.candidates(query, k, spread, effort, allowed)

    def pages(
        self,
        query: Query,
        k: int,
        scoring: Scoring = DEFAULT_SCORING,
        spread: bool = False,
        allowed: Allowed | None = None,
    ) -> Pages:
        """All pages of the candidate segments for k hits, best first, before `read` reads their
        texts. `allowed` restricts them.
        """
        row_scores = self._searcher.row_scores(query, scoring.rerank)
        effort = WITH_WORDS if scoring.lexical else BY_CODES
        segments = self.candidates(query, k, spread, effort, allowed)
        if scoring.lexical:
            return self._ranking.ranked(query.text, row_scores, segments, allowed)
        found = self._searcher.pages(self._searcher.scored(row_scores, segments))
        return ranked(found, found.dense)

    def unranked(self, query: Query, k: int) -> UnrankedPages:
        """The pages that `pages` would rank, with words and names, for training a link scorer."""
        segments = self.candidates(query, k, effort=WITH_WORDS)
        return self._ranking.unranked(query.text, self._searcher.row_scores(query), segments)

    def read(
        self,
        query: Query,
        pages: Pages,
        k: int,
        scoring: Scoring = DEFAULT_SCORING,
        allowed: Allowed | None = None,
    ) -> list[Hit]:
        """The first k pages, with the texts of their segments and of the allowed units."""
        shown = pages.first(k)
        led_by = distinct(shown.led_by[shown.led_by >= 0])
        # Both in one call, which is faster than one after the other.
        segments = distinct(np.concatenate([shown.segments, led_by]))
        units, scores = self._searcher.units(
            self._searcher.row_scores(query, scoring.rerank),
            segments,
            max(_UNITS_PER_HIT, _UNITS_READ),
            allowed.unit_kinds if allowed else None,
        )
        best = segments.searchsorted(shown.segments), slice(_UNITS_PER_HIT)
        hits = list(self._texts.hits(shown, units[best], scores[best]))
        naming = segments.searchsorted(led_by), slice(_UNITS_READ)
        return self._with_paths(shown, hits, led_by, units[naming], scores[naming])

    def unit_rows(self, query: Query, pages: Pages, allowed: Allowed | None) -> Integers:
        """The rows of the units that `read` gives with pages, shape (pages, units), -1 for none."""
        unit_kinds = allowed.unit_kinds if allowed else None
        row_scores = self._searcher.row_scores(query)
        rows, _ = self._searcher.units(row_scores, pages.segments, _UNITS_PER_HIT, unit_kinds)
        return rows

    def for_hits(self, query: Query, k: int, scoring: Scoring, allowed: Allowed | None) -> Pages:
        """The pages for k hits. If the candidates are on fewer, because pages are long or a filter
        is strict, more are examined, until there are k pages or everything allowed was seen.
        """
        table = self._searcher.table
        enough, rows, wanted = min(k, table.page_count), allowed.rows if allowed else table.rows, k
        while True:
            found = self.pages(query, wanted, scoring, spread=True, allowed=allowed)
            if len(found) >= enough or wanted >= rows:
                return found
            wanted *= _MORE_CANDIDATES

    def _shown_of(
        self, page: int, best: int, most: int, tables: int, allowed: Allowed | None
    ) -> list[int]:
        """Segments of a page: the best one, then the first allowed ones, then `tables` tables."""
        first, last = self._searcher.table.of_page(page)
        shown = range(first, last)
        others = [
            one for one in shown if one != best and (allowed is None or allowed.segments[one])
        ]
        behind = np.array(others[most - 1 :] if tables else [], np.int64)
        return [best, *others[: most - 1], *self._searcher.tables_among(behind)[:tables].tolist()]

    def _with_paths(
        self, pages: Pages, hits: list[Hit], led_by: Integers, units: Integers, unit_scores: Floats
    ) -> list[Hit]:
        """The hits with the paths of pages that others name: the naming segments `led_by`, and rows
        and scores of the best units of each.
        """
        columns = self._searcher.table.pages[led_by].tolist(), led_by.tolist(), units, unit_scores
        for page, segment, rows, scores in zip(*columns, strict=True):
            named = (pages.led_by == segment).nonzero()[0].tolist()
            titles = [hits[one].title for one in named]
            steps = self._texts.steps(page, segment, titles, rows, scores)
            for one, step in zip(named, steps, strict=True):
                hits[one] = hits[one]._replace(path=(step,))
        return hits

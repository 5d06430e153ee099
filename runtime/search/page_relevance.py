"""The relevance of the pages of a ranked list, by an R2-Former over codes: numbers only, no texts.

    the first pages -> the best row of each -> its decoded code -> PAGE_FEATURES
                    -> R2-Former -> log-odds of each page

Pages are judged together, so a page's log-odds depend on the whole list.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from factmill.models.answering.r2former.list_features import list_features
from factmill.models.answering.r2former.page_features import PAGE_FEATURES
from factmill.models.answering.r2former.r2former import R2Former
from factmill.models.arrays import Floats, Integers
from factmill.models.codes.hash_head import HashHead
from factmill.models.encoding.transformer_arithmetic import linear
from factmill.runtime.search.hits import Hit
from factmill.runtime.search.pages import Pages
from factmill.runtime.search.row_scores import Query, RowScores
from factmill.runtime.search.searcher import Searcher
from factmill.runtime.search.sharded import ranges

# The number of pages judged together, as in training.
JUDGED = 20
# The weight of log-odds beside a score, which is about a cosine; chosen on training questions.
_WEIGHT = 0.01
_MAX_LOG_ODDS = 8.0


class PageRelevance:
    """Judges the pages of an open index. Thread-safe."""

    def __init__(self, searcher: Searcher, head: HashHead) -> None:
        self._searcher = searcher
        decoder = head.decoder
        self._decoder = (np.ascontiguousarray(decoder.weight.T), decoder.mean) if decoder else None

    def features(self, query: Query, row_scores: RowScores, pages: Pages) -> Floats:
        """The PAGE_FEATURES of pages, best first, shape (pages, features)."""
        found = np.zeros((len(pages), len(PAGE_FEATURES)), np.float32)
        if not len(pages):
            return found
        table = self._searcher.table
        own, best, scores_own, scores_best = self._best_rows(row_scores, pages.segments)
        vectors, of_query = self.vectors(query, best)
        found[:, :3] = list_features(of_query, vectors)
        first = np.searchsorted(table.pages, pages.pages)
        columns = (
            pages.scores[0] - pages.scores,
            pages.dense,
            pages.words,
            scores_best,
            scores_own,
            best != own,
            np.log1p(pages.segments - first),
            pages.led_by >= 0,
        )
        found[:, 3:] = np.stack(columns, axis=1)
        return found

    def log_odds(
        self, model: R2Former, query: Query, row_scores: RowScores, pages: Pages
    ) -> Floats:
        """Log-odds that the first JUDGED pages are relevant. Raises ModelMismatch."""
        judged = pages.first(JUDGED)
        if not len(judged):
            return np.empty(0, np.float32)
        read = [PAGE_FEATURES.index(name) for name in model.card.features]
        return model.relevance(self.features(query, row_scores, judged)[:, read])

    def unit_vectors(
        self, query: Query, units: Integers, pages: Pages
    ) -> tuple[Floats, list[Floats]]:
        """The query, and the decoded codes of each page's units, shape (units, dimension), or of
        its segment for a page without units. `units` has shape (pages, units), best unit first, -1
        for none.
        """
        own_rows, _ = self._searcher.table.row_ranges(pages.segments)
        rows = units.copy()
        rows[:, 0] = np.where(rows[:, 0] < 0, own_rows, rows[:, 0])
        vectors, of_query = self.vectors(query, rows[rows >= 0])
        ends = (rows >= 0).sum(axis=1).cumsum().tolist()
        of_pages = [vectors[first:end] for first, end in zip([0, *ends], ends, strict=False)]
        return of_query, of_pages

    def _best_rows(
        self, row_scores: RowScores, segments: Integers
    ) -> tuple[Integers, Integers, Floats, Floats]:
        """The own row of each segment and its best row, with their scores."""
        order = np.argsort(segments)
        first, lengths = self._searcher.table.row_ranges(segments[order])
        rows = ranges(first, lengths)
        scores = row_scores(rows)
        starts = lengths.cumsum() - lengths
        most = np.maximum.reduceat(scores, starts)
        # The first of a segment's rows with the best score.
        fits = (scores == most.repeat(lengths)).nonzero()[0]
        best = rows[fits[fits.searchsorted(starts)]]
        back = np.argsort(order)
        return first[back], best[back], scores[starts][back], most[back]

    def vectors(self, query: Query, rows: Integers) -> tuple[Floats, Floats]:
        """The decoded codes of rows, shape (rows, dimension), and the query to compare
        them with.
        """
        order = np.argsort(rows)
        codes = self._searcher.codes_of(rows[order])[np.argsort(order)]
        signs = 2 * np.unpackbits(codes, axis=1).astype(np.float32) - 1
        if self._decoder is None:
            return signs, query.projected
        return linear(signs, *self._decoder), query.vector


def judged_order(pages: Pages, log_odds: Floats) -> Integers:
    """Positions of pages, best first, by scores plus weighted log-odds of the first ones."""
    judged = len(log_odds)
    bounded = np.clip(log_odds, -_MAX_LOG_ODDS, _MAX_LOG_ODDS)
    order = np.argsort(-(pages.scores[:judged] + _WEIGHT * bounded), kind="stable")
    return np.concatenate([order, np.arange(judged, len(pages))])


def with_relevance(hits: Sequence[Hit], log_odds: Floats) -> list[Hit]:
    """The hits with the probabilities of the first ones, which were judged."""
    shares = np.round(1 / (1 + np.exp(-log_odds.astype(np.float64))), 4).tolist()
    judged = [hit._replace(relevance=share) for hit, share in zip(hits, shares, strict=False)]
    return [*judged, *hits[len(judged) :]]

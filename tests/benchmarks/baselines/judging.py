"""From rows found to pages, and how many gold pages are among the first.

A page scores as its best row, or by equation 10 over all rows of its segments, as the product has
it. Where pages tie, recall is that of a random order among them, so it does not depend on the order
of the rows. Knows no method and no index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from factmill.models.arrays import Floats, Integers
from factmill.runtime.evaluate import Question
from factmill.runtime.search.segment_scores import segment_scores
from factmill.runtime.search.sharded import ranges
from tests.benchmarks.baselines.units import BuiltPage, Units

DEPTHS = (1, 5, 20, 100)


@dataclass(frozen=True)
class Found:
    """Numbers of the rows or pages found for one query, and their scores: more is better."""

    numbers: Integers
    scores: Floats


@dataclass(frozen=True)
class PageRanking:
    """What rankings need to know of the rows."""

    units: Units

    @cached_property
    def page_of_row(self) -> Integers:
        return self.units.page_of_row

    @cached_property
    def _starts(self) -> Integers:
        return np.cumsum(self.units.lengths) - self.units.lengths

    @cached_property
    def _segments_of_page(self) -> tuple[Integers, Integers]:
        """First segment and number of segments of each page."""
        ends = np.searchsorted(
            self.units.page_of_segment, np.arange(len(self.units.pages)), side="right"
        )
        counts = np.diff(ends, prepend=0)
        return ends - counts, counts

    def by_best_row(self, rows: Found) -> Found:
        """The pages of these rows."""
        pages, of_row = np.unique(self.page_of_row[rows.numbers], return_inverse=True)
        best = np.full(len(pages), -np.inf, np.float32)
        np.maximum.at(best, of_row, rows.scores)
        return Found(pages, best)

    def by_equation(self, rows: Integers, score: Callable[[Integers], Floats]) -> Found:
        """The pages of these rows by their best segment; `score` gives the scores of any rows."""
        pages = np.unique(self.page_of_row[rows])
        if not len(pages):
            return Found(pages, np.empty(0, np.float32))
        first, counts = (column[pages] for column in self._segments_of_page)
        segments, lengths = ranges(first, counts), self.units.lengths
        opens = np.cumsum(counts) - counts
        follows = np.ones(len(segments), np.bool_)
        follows[opens] = False
        members = ranges(self._starts[segments], lengths[segments])
        scores, _ = segment_scores(score(members), lengths[segments], follows)
        return Found(pages, np.maximum.reduceat(scores, opens).astype(np.float32))


def gold_pages(questions: Sequence[Question], pages: Sequence[BuiltPage]) -> list[list[Integers]]:
    """For each question and gold id the numbers of the pages that go by it, by either of their
    ids; a question with a gold id that no page has gets an empty list."""
    wanted: dict[str, list[int]] = {
        gold: [] for question in questions for gold in question.gold_ids
    }
    for number, page in enumerate(pages):
        for name in {page.source_id, page.page_id} & wanted.keys():
            wanted[name].append(number)
    return [
        [np.array(wanted[gold], np.int64) for gold in sorted(question.gold_ids)]
        if all(wanted[gold] for gold in question.gold_ids)
        else []
        for question in questions
    ]


def recall(pages: Found, gold: Sequence[Integers], depth: int) -> float:
    """The expected share of gold ids with a page among the first `depth`, ties in random order."""
    shares = []
    for numbers in gold:
        scores = pages.scores[np.isin(pages.numbers, numbers)]
        if len(scores):
            above = int((pages.scores > scores.max()).sum())
            level = int((pages.scores == scores.max()).sum())
            shares.append(min(1.0, max(0.0, (depth - above) / level)))
        else:
            shares.append(0.0)
    return float(np.mean(shares))


def recalls(found: Sequence[Found], gold: Sequence[Sequence[Integers]]) -> dict[int, float]:
    """Mean recall over the questions at every depth."""
    return {
        depth: float(
            np.mean([recall(pages, ids, depth) for pages, ids in zip(found, gold, strict=True)])
        )
        for depth in DEPTHS
    }

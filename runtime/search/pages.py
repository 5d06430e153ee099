"""From scored segments to pages, and to the best units of the segments shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from factmill.models.arrays import Doubles, Floats, Integers
from factmill.runtime.search.fusion import fused
from factmill.runtime.search.row_scores import RowScores
from factmill.runtime.search.segment_table import SegmentTable
from factmill.runtime.search.sharded import ranges


@dataclass(frozen=True, slots=True)
class ScoredSegments:
    """Segments, ascending, with their scores by equation 10 and the scores of their best rows."""

    segments: Integers
    scores: Doubles
    best_rows: Doubles

    def merged_with(self, other: ScoredSegments) -> ScoredSegments:
        """These and other segments; the two must be disjoint."""
        if not len(other.segments):
            return self
        segments = np.concatenate([self.segments, other.segments])
        order = np.argsort(segments)
        return ScoredSegments(
            segments[order],
            np.concatenate([self.scores, other.scores])[order],
            np.concatenate([self.best_rows, other.best_rows])[order],
        )


@dataclass(frozen=True, slots=True)
class ScoredPages:
    """Pages, ascending, with the segment to show of each; its score by codes, by words, and
    combined.
    """

    pages: Integers
    segments: Integers
    dense: Doubles
    words: Floats
    fused: Doubles

    def __len__(self) -> int:
        return len(self.pages)


@dataclass(frozen=True, slots=True)
class Pages:
    """Pages with their scores, best first; the segment to show of each; the segment of another page
    that led to it, -1 if none; its scores by codes and by words.
    """

    pages: Integers
    segments: Integers
    scores: Doubles
    led_by: Integers
    dense: Doubles
    words: Floats

    def __len__(self) -> int:
        return len(self.pages)

    def first(self, count: int) -> Pages:
        """The first of these pages."""
        return self.at(np.arange(min(count, len(self))))

    def at(self, positions: Integers) -> Pages:
        """The pages at these positions, in that order."""
        return Pages(
            self.pages[positions],
            self.segments[positions],
            self.scores[positions],
            self.led_by[positions],
            self.dense[positions],
            self.words[positions],
        )


def ranked(found: ScoredPages, scores: Doubles, led_by: Integers | None = None) -> Pages:
    """Pages sorted by these scores, best first; ties keep their order."""
    order = np.argsort(-scores, kind="stable")
    if led_by is None:
        led_by = np.full(len(order), -1, np.int64)
    return Pages(
        found.pages[order], found.segments[order], scores[order], led_by[order],
        found.dense[order], found.words[order],
    )  # fmt: skip


def pages_of(
    table: SegmentTable, found: ScoredSegments, words: Floats, most: float = 0.0
) -> ScoredPages:
    """The pages of scored segments. `words` are the lexical scores of the segments, `most` their
    upper bound.

    A page scores as its best segment does. The segment shown is the one with the best row, because
    neighbours share much of a score.
    """
    pages = table.pages[found.segments]
    if not len(pages):
        return ScoredPages(pages, found.segments, found.scores, words, found.scores)
    new = np.empty(len(pages), np.bool_)
    new[0] = True
    np.not_equal(pages[1:], pages[:-1], out=new[1:])
    starts = new.nonzero()[0]
    best_rows = np.maximum.reduceat(found.best_rows, starts)
    # The first of a page's segments with the best row.
    page = new.cumsum() - 1
    best = (found.best_rows == best_rows[page]).nonzero()[0]
    shown = found.segments[best[page[best].searchsorted(np.arange(len(starts)))]]
    dense = np.maximum.reduceat(found.scores, starts)
    of_words = np.maximum.reduceat(words, starts)
    return ScoredPages(pages[starts], shown, dense, of_words, fused(dense, of_words, most))


def best_units(
    table: SegmentTable, row_scores: RowScores, segments: Integers, count: int
) -> tuple[Integers, Floats]:
    """Rows and scores of the best units of each segment, best first, shape (segments, count); row
    -1 if there is none.
    """
    by_number = np.argsort(segments)
    first, lengths = table.row_ranges(segments[by_number])
    # Excludes the segment's own row.
    units = ranges(first + 1, lengths - 1)
    values = row_scores(units)
    of_segment = np.repeat(by_number, lengths - 1)
    order = np.lexsort((-values, of_segment))
    of_segment = of_segment[order]
    rank = np.arange(len(order)) - np.searchsorted(of_segment, of_segment)
    kept = rank < count
    rows = np.full((len(segments), count), -1, np.int64)
    scores = np.full((len(segments), count), -np.inf, np.float32)
    rows[of_segment[kept], rank[kept]] = units[order][kept]
    scores[of_segment[kept], rank[kept]] = values[order][kept]
    return rows, scores

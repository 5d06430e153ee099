"""Scores of a segment as a span scorer gives them, with chosen spans."""

from __future__ import annotations

import re

import numpy as np

from factmill.models.answering.span_scoring.segment_log_odds import SegmentScores

UNLIKELY = -6.0


def scores_of(text: str, spans: dict[str, float]) -> SegmentScores:
    """Log-odds of the spans, against no answer; of all other words UNLIKELY."""
    offsets = tuple(match.span() for match in re.finditer(r"\w+|[^\w\s]", text))
    start = np.full(len(offsets), UNLIKELY, np.float32)
    end = np.full(len(offsets), UNLIKELY, np.float32)
    for said, odds in spans.items():
        first = text.index(said)
        last = first + len(said)
        start[[number for number, one in enumerate(offsets) if one[0] == first]] = odds / 2
        end[[number for number, one in enumerate(offsets) if one[1] == last]] = odds / 2
    return SegmentScores(offsets, start, end)

"""What a reader of segments says of a span, as numbers from -1 to 1.

segments that were read -> log-odds of a span against no answer -> READ_FEATURES, and likely spans
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.reading.segment_log_odds import ReadSpan, SegmentScores
from factmill.models.text.span import Span

# What was read, by the number of its source.
Scores = Mapping[int, SegmentScores]

READ_FEATURES = (
    "read_anything", "read_answers",
    # of the span
    "read", "read_odds", "read_likely", "read_share", "read_best", "read_best_of_segment",
    "read_beside_best", "read_only",
)  # fmt: skip
_MAX_ODDS = 10.0
# Spans of each segment that become candidates, from these log-odds on.
_OF_A_SEGMENT, _MIN_ODDS = 3, -3.0
_ARTICLE = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_EDGES = ' \t\n,;:.!?()[]"“”'


def likely_spans(sources: Sequence[Source], scores: Scores) -> dict[int, list[Span]]:
    """The spans that the reader likes best of each segment, without what only surrounds them."""
    found: dict[int, list[Span]] = {}
    for number, read in scores.items():
        text = sources[number].text
        spans = [_trimmed(text, one) for one in read.best(_OF_A_SEGMENT) if one.odds > _MIN_ODDS]
        found[number] = [span for span in dict.fromkeys(spans) if span[0] < span[1]]
    return found


def _trimmed(text: str, read: ReadSpan) -> Span:
    start, end = read.start, read.end
    end = min(end, start + text[start:end].rfind("\n")) if "\n" in text[start:end] else end
    while start < end and text[start] in _EDGES:
        start += 1
    while start < end and text[end - 1] in _EDGES:
        end -= 1
    article = _ARTICLE.match(text, start, end)
    return (article.end() if article else start), end


def read_features(scores: Scores, source: int, span: Span, is_own: bool) -> list[float]:
    """The numbers of READ_FEATURES for a span; `is_own` where only the reader found it."""
    anything = max((one.answers for one in scores.values()), default=0.0)
    read = scores.get(source)
    odds = read.odds(*span) if read else None
    if read is None or odds is None:
        return [anything, 0.0] + [0.0] * (len(READ_FEATURES) - 2)
    of_segment = read.likeliest
    best = max(one.likeliest.odds for one in scores.values())
    bounded = max(-_MAX_ODDS, min(_MAX_ODDS, odds))
    return [
        anything,
        read.answers,
        1.0,
        bounded / _MAX_ODDS,
        max(0.0, bounded) / _MAX_ODDS,
        _share(odds, scores),
        float(odds >= best - 1e-6),
        float(odds >= of_segment.odds - 1e-6),
        float(span[0] < of_segment.end and of_segment.start < span[1]),
        float(is_own),
    ]


def _share(odds: float, scores: Scores) -> float:
    """The share of a span among all spans of all segments that were read, and no answer."""
    together = np.logaddexp.reduce([0.0, *(one.together for one in scores.values())])
    return min(1.0, math.exp(odds - float(together)))

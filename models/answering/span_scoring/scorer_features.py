"""What the span scorer says of a span, as numbers from -1 to 1.

scored segments -> log-odds of a span against no answer -> SCORER_FEATURES, and likely spans
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.span_scoring.segment_log_odds import ScoredSpan, SegmentScores
from factmill.models.text.span import Span

# What was scored, by the number of its source.
Scores = Mapping[int, SegmentScores]

SCORER_FEATURES = (
    "scored_anything", "scored_answers",
    # of the span
    "scored", "scored_odds", "scored_likely", "scored_share", "scored_best",
    "scored_best_of_segment", "scored_beside_best", "scored_only",
)  # fmt: skip
_MAX_ODDS = 10.0
# Spans of each segment that become candidates, from these log-odds on.
_OF_A_SEGMENT, _MIN_ODDS = 3, -3.0
_ARTICLE = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_EDGES = ' \t\n,;:.!?()[]"“”'


def likely_spans(sources: Sequence[Source], scores: Scores) -> dict[int, list[Span]]:
    """The spans that the scorer likes best of each segment, without what only surrounds them."""
    found: dict[int, list[Span]] = {}
    for number, of_segment in scores.items():
        text = sources[number].text
        spans = [
            _trimmed(text, one) for one in of_segment.best(_OF_A_SEGMENT) if one.odds > _MIN_ODDS
        ]
        found[number] = [span for span in dict.fromkeys(spans) if span[0] < span[1]]
    return found


def _trimmed(text: str, scored: ScoredSpan) -> Span:
    start, end = scored.start, scored.end
    end = min(end, start + text[start:end].rfind("\n")) if "\n" in text[start:end] else end
    while start < end and text[start] in _EDGES:
        start += 1
    while start < end and text[end - 1] in _EDGES:
        end -= 1
    article = _ARTICLE.match(text, start, end)
    return (article.end() if article else start), end


def scorer_features(scores: Scores, source: int, span: Span, is_own: bool) -> list[float]:
    """The numbers of SCORER_FEATURES for a span; `is_own` where only the scorer found it."""
    anything = max((one.answers for one in scores.values()), default=0.0)
    own = scores.get(source)
    odds = own.odds(*span) if own else None
    if own is None or odds is None:
        return [anything, 0.0] + [0.0] * (len(SCORER_FEATURES) - 2)
    likeliest = own.likeliest
    best = max(one.likeliest.odds for one in scores.values())
    bounded = max(-_MAX_ODDS, min(_MAX_ODDS, odds))
    return [
        anything,
        own.answers,
        1.0,
        bounded / _MAX_ODDS,
        max(0.0, bounded) / _MAX_ODDS,
        _share(odds, scores),
        float(odds >= best - 1e-6),
        float(odds >= likeliest.odds - 1e-6),
        float(span[0] < likeliest.end and likeliest.start < span[1]),
        float(is_own),
    ]


def _share(odds: float, scores: Scores) -> float:
    """The share of a span among all spans of all scored segments, and no answer."""
    together = np.logaddexp.reduce([0.0, *(one.together for one in scores.values())])
    return min(1.0, math.exp(odds - float(together)))

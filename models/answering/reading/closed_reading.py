"""Yes or no, by a model that reads segments: what settles the question, and which it says.

question, segments that were read -> the likeliest evidence of each, and whether it denies
                                  -> how likely yes or no is right
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from factmill.models.answering.answer_candidates import Candidate, Origin, Source
from factmill.models.answering.reading.read_features import Scores
from factmill.models.answering.reading.segment_log_odds import SegmentScores
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import content_stems

FEATURES = ("bias", "odds", "share", "verdict", "covered", "names", "similar")
# By `tests/benchmarks/fit_reading_weights.py`.
WEIGHTS = dict.fromkeys(FEATURES, 0.0) | {"bias": -9.0}
_MOST_ODDS = 10.0


class Evidence(NamedTuple):
    """The words of a source that settle a question, what they say, and the numbers of FEATURES."""

    source: int
    start: int
    end: int
    says: str
    features: tuple[float, ...]


def evidence_read(asked: AskedFor, sources: Sequence[Source], scores: Scores) -> list[Evidence]:
    """The likeliest evidence of each segment that was read, likeliest first."""
    together = np.logaddexp.reduce([0.0, *(one.together for one in scores.values())])
    ordered = sorted(scores.items(), key=lambda one: -one[1].likeliest.odds)
    return [
        _evidence(asked, number, sources[number], read, float(together))
        for number, read in ordered
        if read.likeliest.start < read.likeliest.end
    ]


def closed_answers_read(
    asked: AskedFor, sources: Sequence[Source], scores: Scores
) -> list[Candidate]:
    """Candidates "yes" and "no" with the probability that they are right, best first."""
    found = []
    for one in evidence_read(asked, sources, scores):
        numbers = zip(FEATURES, one.features, strict=True)
        log_odds = sum(WEIGHTS[name] * number for name, number in numbers)
        score = 1.0 / (1.0 + math.exp(-log_odds))
        found.append(Candidate(one.says, score, one.source, one.start, one.end, Origin.EVIDENCE))
    return sorted(found, key=lambda one: -one.score)


def _evidence(
    asked: AskedFor, number: int, source: Source, read: SegmentScores, together: float
) -> Evidence:
    best = read.likeliest
    denied = read.denies(best.start)
    said = frozenset(content_stems(f"{source.title} {source.text}"))
    numbers = (
        1.0,
        _bounded(best.odds) / _MOST_ODDS,
        math.exp(min(0.0, best.odds - together)),
        abs(_bounded(denied)) / _MOST_ODDS,
        len(asked.stems & said) / max(1, len(asked.stems)),
        float(asked.names <= said),
        source.similarity,
    )
    return Evidence(number, best.start, best.end, "no" if denied > 0 else "yes", numbers)


def _bounded(odds: float) -> float:
    return max(-_MOST_ODDS, min(_MOST_ODDS, odds))

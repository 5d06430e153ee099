"""Answers from sentences: spans of the right kind, weighed by what was learned from questions.

    sources -> spans with features (`featured_spans`) -> how likely each is the answer
            -> what is left where its sentence speaks against it (`span_sureness`)
            -> with what the span scorer says: how much to trust that

The weights are those of a logistic regression over FEATURES (`span_weights.py`), or, where the
span scorer was asked, over these and what it says of each span (`span_scoring/scored_weights.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from factmill.models.answering.answer_candidates import Candidate, Origin, Source
from factmill.models.answering.counterevidence.span_sureness import left_of_another, sureness
from factmill.models.answering.sentences.featured_spans import (
    SpanWithFeatures,
    answer_key,
    spans_with_features,
)
from factmill.models.answering.sentences.span_features import FEATURES
from factmill.models.answering.sentences.span_weights import WEIGHTS
from factmill.models.answering.sentences.spans import whole_name
from factmill.models.answering.span_scoring.scored_confidence import (
    ODDS,
    confidence_features,
    scored_confidence,
)
from factmill.models.answering.span_scoring.scored_weights import WEIGHTS as SCORED_WEIGHTS
from factmill.models.answering.span_scoring.scorer_features import SCORER_FEATURES, Scores
from factmill.models.answering.words.asked_for import AskedFor

_WEIGHTS = tuple(WEIGHTS.get(name, 0.0) for name in FEATURES)
_SCORED = tuple(SCORED_WEIGHTS.get(name, 0.0) for name in (*FEATURES, *SCORER_FEATURES))
# A bound on log-odds.
_MAX_LOG_ODDS = 30.0


def answers_in_sentences(
    asked: AskedFor, sources: Sequence[Source], scores: Scores | None = None
) -> list[Candidate]:
    """Candidates with the probability that they are the answer; spans that say the same count
    together. What is left to 1 is that none of them is. With `scores` of the span scorer, by the
    numbers of their sources, each answer is judged by itself (`scored_confidence`)."""
    spans = spans_with_features(asked, sources, scores)
    if not spans:
        return []
    sure = sureness(asked, sources, spans)
    # Other spans gain what such a span loses in odds; its probability is lowered once more below.
    left = [left_of_another(asked, sources, candidate) for candidate, _ in spans]
    weights = _WEIGHTS if scores is None else _SCORED
    odds = [one * less for one, less in zip(_odds(weights, spans), left, strict=True)]
    if scores is None:
        found = [
            spans[one.best][0]._replace(score=one.probability, origin=Origin.SENTENCE)
            for one in _together(spans, sure, odds)
        ]
    else:
        found = [
            candidate._replace(score=scored_confidence(numbers), origin=Origin.SCORED)
            for candidate, numbers in scored_answers(spans, sure, odds)
        ]
    of_span = {
        (one.source, one.start, one.end): less for (one, _), less in zip(spans, left, strict=True)
    }
    found = [
        one._replace(score=one.score * of_span[one.source, one.start, one.end]) for one in found
    ]
    return [_with_whole_name(one, sources[one.source].text) for one in found]


def _with_whole_name(candidate: Candidate, text: str) -> Candidate:
    """The candidate without a verb that a model took for a part of the name."""
    start, end = whole_name(text, (candidate.start, candidate.end))
    return candidate._replace(text=text[start:end], end=end)


class _SameSpans(NamedTuple):
    """Spans that say the same: the number of the best one, and the probability of all."""

    best: int
    probability: float


def scored_answers(
    spans: Sequence[SpanWithFeatures], sure: Sequence[float], odds: Sequence[float]
) -> list[tuple[Candidate, list[float]]]:
    """The best span of each answer with the numbers of `scored_confidence`. `odds` are what the
    weights of spans say of each, against no answer."""
    whole = 1.0 + sum(odds)
    of_source: dict[int, list[int]] = {}
    for number, (candidate, _) in enumerate(spans):
        of_source.setdefault(candidate.source, []).append(number)
    found = []
    for one in _together(spans, sure, odds):
        candidate, numbers = spans[one.best]
        near = [
            number
            for number in of_source[candidate.source]
            if spans[number][0].start < candidate.end and candidate.start < spans[number][0].end
        ]
        overlapping = sum(sure[number] * odds[number] / whole for number in near)
        best_odds = max(spans[number][1][ODDS] for number in near)
        of_answer = confidence_features(
            one.probability, overlapping, best_odds, sure[one.best], numbers
        )
        found.append((candidate, of_answer))
    return found


def _together(
    spans: Sequence[SpanWithFeatures], sure: Sequence[float], odds: Sequence[float]
) -> list[_SameSpans]:
    whole = 1.0 + sum(odds)
    together: dict[str, float] = {}
    best: dict[str, int] = {}
    for number, (candidate, _) in enumerate(spans):
        key = answer_key(candidate)
        together[key] = together.get(key, 0.0) + sure[number] * odds[number] / whole
        if key not in best or odds[best[key]] < odds[number]:
            best[key] = number
    return [_SameSpans(number, together[key]) for key, number in best.items() if key]


def _odds(weights: Sequence[float], spans: Sequence[SpanWithFeatures]) -> list[float]:
    return [math.exp(_total(weights, numbers)) for _, numbers in spans]


def _total(weights: Sequence[float], numbers: Sequence[float]) -> float:
    return min(
        _MAX_LOG_ODDS,
        sum(weight * number for weight, number in zip(weights, numbers, strict=True)),
    )

from __future__ import annotations

import numpy as np
import pytest

from factmill.models.answering.span_scoring.segment_log_odds import SegmentScores
from tests.models.answering.span_scoring.made_scores import UNLIKELY, scores_of

TEXT = "Coxswain Bethan Rourke leads the crew since 2016."


def span(said: str, text: str = TEXT) -> tuple[int, int]:
    return text.index(said), text.index(said) + len(said)


def test_a_span_has_the_log_odds_of_its_first_and_last_token() -> None:
    scores = scores_of(TEXT, {"Bethan Rourke": 4.0})

    assert scores.odds(*span("Bethan Rourke")) == pytest.approx(4.0)
    assert scores.odds(*span("Bethan")) == pytest.approx(2.0 + UNLIKELY)
    assert scores.odds(*span("2016")) == pytest.approx(2 * UNLIKELY)


def test_a_span_that_was_not_read_to_its_end_has_none() -> None:
    scores = scores_of(TEXT[:20], {})

    assert scores.odds(*span("Bethan Rourke")) is None
    assert scores.odds(*span("2016")) is None


def test_the_likeliest_spans_come_first_and_never_end_before_they_begin() -> None:
    scores = scores_of(TEXT, {"Bethan Rourke": 4.0, "2016": 3.0})

    best = scores.best(2)
    assert TEXT[best[0].start : best[0].end] == "Bethan Rourke"
    assert all(one.start < one.end for one in scores.best(50))
    assert [one.odds for one in best] == sorted((one.odds for one in best), reverse=True)
    assert scores.likeliest == best[0]


@pytest.mark.parametrize(("odds", "low", "high"), [(8.0, 0.99, 1.0), (-12.0, 0.0, 0.1)])
def test_how_likely_a_segment_answers_follows_its_spans(
    odds: float, low: float, high: float
) -> None:
    assert low <= scores_of(TEXT, {"2016": odds}).answers <= high


def test_the_odds_of_any_span_are_those_of_all_together() -> None:
    scores = scores_of("a b", {})
    by_hand = np.log(4 * np.exp(2 * UNLIKELY))

    assert scores.together == pytest.approx(by_hand, abs=1e-4)


def test_nothing_read_answers_nothing() -> None:
    none = np.zeros(0, np.float32)
    scores = SegmentScores((), none, none)

    assert (scores.answers, scores.best(3), scores.odds(0, 1)) == (0.0, [], None)
    assert scores.likeliest.odds < -50

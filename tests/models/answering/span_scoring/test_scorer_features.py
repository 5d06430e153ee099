from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.span_scoring.scorer_features import (
    SCORER_FEATURES,
    likely_spans,
    scorer_features,
)
from factmill.models.answering.span_scoring.segment_log_odds import SegmentScores
from tests.models.answering.span_scoring.made_scores import scores_of

TEXT = "The crew is led by the coxswain, Bethan Rourke.\nIt has a boat."
OTHER = "Marigold was the first ferry of 1887."


def spans(text: str, scores: SegmentScores) -> list[str]:
    found = likely_spans([Source(text, "", 0.8)], {0: scores})[0]
    return [text[slice(*one)] for one in found]


def named(scores: dict[int, SegmentScores], source: int, said: str, text: str) -> dict[str, float]:
    span = text.index(said), text.index(said) + len(said)
    numbers = scorer_features(scores, source, span, False)
    assert all(-1.0 <= one <= 1.0 for one in numbers)
    return dict(zip(SCORER_FEATURES, numbers, strict=True))


def test_likely_spans_lose_articles_and_punctuation_and_end_with_their_line() -> None:
    assert spans(TEXT, scores_of(TEXT, {"the coxswain,": 9.0}))[0] == "coxswain"
    assert spans(TEXT, scores_of(TEXT, {"Bethan Rourke.\nIt": 9.0}))[0] == "Bethan Rourke"


def test_what_is_unlikely_everywhere_is_no_span() -> None:
    assert spans(TEXT, scores_of(TEXT, {})) == []


def test_the_best_span_of_all_segments_is_told_from_that_of_its_own() -> None:
    scores = {
        0: scores_of(TEXT, {"Bethan Rourke": 6.0}),
        3: scores_of(OTHER, {"Marigold": 2.0}),
    }

    first = named(scores, 0, "Bethan Rourke", TEXT)
    second = named(scores, 3, "Marigold", OTHER)
    assert (first["scored_best"], first["scored_best_of_segment"]) == (1.0, 1.0)
    assert (second["scored_best"], second["scored_best_of_segment"]) == (0.0, 1.0)
    assert first["scored_odds"] == pytest.approx(0.6)
    assert first["scored_share"] > 0.9 > 0.1 > second["scored_share"]
    assert first["scored_anything"] == second["scored_anything"] == first["scored_answers"]


def test_a_part_of_the_best_span_is_beside_it() -> None:
    scores = {0: scores_of(TEXT, {"Bethan Rourke": 6.0})}

    part = named(scores, 0, "Rourke", TEXT)
    assert (part["scored_best"], part["scored_beside_best"]) == (0.0, 1.0)
    assert named(scores, 0, "boat", TEXT)["scored_beside_best"] == 0.0


def test_spans_of_segments_that_were_not_read_say_so() -> None:
    found = named({0: scores_of(TEXT, {})}, 1, "1887", OTHER)

    assert found["scored"] == 0.0
    assert {value for name, value in found.items() if name != "scored_anything"} == {0.0}

from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.reading.read_features import (
    READ_FEATURES,
    likely_spans,
    read_features,
)
from factmill.models.answering.reading.segment_log_odds import SegmentScores
from tests.models.answering.reading.made_scores import scores_of

TEXT = "The crew is led by the coxswain, Bethan Rourke.\nIt has a boat."
OTHER = "Marigold was the first ferry of 1887."


def spans(text: str, scores: SegmentScores) -> list[str]:
    found = likely_spans([Source(text, "", 0.8)], {0: scores})[0]
    return [text[slice(*one)] for one in found]


def named(scores: dict[int, SegmentScores], source: int, said: str, text: str) -> dict[str, float]:
    span = text.index(said), text.index(said) + len(said)
    numbers = read_features(scores, source, span, False)
    assert all(-1.0 <= one <= 1.0 for one in numbers)
    return dict(zip(READ_FEATURES, numbers, strict=True))


def test_likely_spans_lose_articles_and_punctuation_and_end_with_their_line() -> None:
    assert spans(TEXT, scores_of(TEXT, {"the coxswain,": 9.0}))[0] == "coxswain"
    assert spans(TEXT, scores_of(TEXT, {"Bethan Rourke.\nIt": 9.0}))[0] == "Bethan Rourke"


def test_what_is_unlikely_everywhere_is_no_span() -> None:
    assert spans(TEXT, scores_of(TEXT, {})) == []


def test_the_best_span_of_all_segments_is_told_from_that_of_its_own() -> None:
    read = {
        0: scores_of(TEXT, {"Bethan Rourke": 6.0}),
        3: scores_of(OTHER, {"Marigold": 2.0}),
    }

    first = named(read, 0, "Bethan Rourke", TEXT)
    second = named(read, 3, "Marigold", OTHER)
    assert (first["read_best"], first["read_best_of_segment"]) == (1.0, 1.0)
    assert (second["read_best"], second["read_best_of_segment"]) == (0.0, 1.0)
    assert first["read_odds"] == pytest.approx(0.6)
    assert first["read_share"] > 0.9 > 0.1 > second["read_share"]
    assert first["read_anything"] == second["read_anything"] == first["read_answers"]


def test_a_part_of_the_best_span_is_beside_it() -> None:
    read = {0: scores_of(TEXT, {"Bethan Rourke": 6.0})}

    part = named(read, 0, "Rourke", TEXT)
    assert (part["read_best"], part["read_beside_best"]) == (0.0, 1.0)
    assert named(read, 0, "boat", TEXT)["read_beside_best"] == 0.0


def test_spans_of_segments_that_were_not_read_say_so() -> None:
    found = named({0: scores_of(TEXT, {})}, 1, "1887", OTHER)

    assert found["read"] == 0.0
    assert {value for name, value in found.items() if name != "read_anything"} == {0.0}

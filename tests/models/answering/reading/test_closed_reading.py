from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from factmill.models.answering.answer_candidates import Origin, Source
from factmill.models.answering.reading.closed_reading import closed_answers_read, evidence_read
from factmill.models.answering.reading.segment_log_odds import SegmentScores
from factmill.models.answering.words.asked_for import asked_for
from tests.models.answering.reading.made_scores import scores_of

MUSEUM = Source("The tower room cannot be reached by lift. The yard is open.", "Museum", 0.5)
ASKED = asked_for("Can I take a lift to the tower room of the museum?")


def read(said: str, odds: float, denied: float) -> SegmentScores:
    scores = scores_of(MUSEUM.text, {said: odds})
    return replace(scores, denied=np.full(len(scores.offsets), denied, np.float32))


@pytest.mark.parametrize(("denied", "says"), [(5.0, "no"), (-5.0, "yes")])
def test_evidence_says_yes_or_no_and_is_cited(denied: float, says: str) -> None:
    found = closed_answers_read(ASKED, [MUSEUM], {0: read("cannot be reached", 8.0, denied)})[0]

    assert (found.text, found.origin) == (says, Origin.EVIDENCE)
    assert MUSEUM.text[found.start : found.end] == "cannot be reached"
    assert found.score > 0.5


def test_without_evidence_or_a_clear_verdict_nothing_is_likely() -> None:
    sure = closed_answers_read(ASKED, [MUSEUM], {0: read("cannot be reached", 8.0, 5.0)})[0]
    unlikely = closed_answers_read(ASKED, [MUSEUM], {0: read("cannot be reached", -8.0, 5.0)})[0]
    unclear = closed_answers_read(ASKED, [MUSEUM], {0: read("cannot be reached", 8.0, 0.1)})[0]

    assert unlikely.score < 0.5
    assert unclear.score < sure.score


def test_evidence_of_several_segments_comes_likeliest_first() -> None:
    scores = {0: read("The yard is open", 2.0, -3.0), 1: read("cannot be reached", 6.0, 3.0)}

    found = evidence_read(ASKED, [MUSEUM, MUSEUM], scores)

    assert [(one.source, one.says) for one in found] == [(1, "no"), (0, "yes")]
    assert evidence_read(ASKED, [MUSEUM], {}) == []


def test_a_model_without_verdicts_is_sure_of_none() -> None:
    scores = replace(read("cannot be reached", 8.0, 0.0), denied=None)

    assert scores.denies(0) == 0.0
    sure = closed_answers_read(ASKED, [MUSEUM], {0: read("cannot be reached", 8.0, 5.0)})[0]
    assert closed_answers_read(ASKED, [MUSEUM], {0: scores})[0].score < sure.score

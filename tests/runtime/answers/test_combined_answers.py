"""The answers of sub-questions as one answer: how sure it must be, and when a table goes before."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from factmill.models.answering.answer_candidates import Candidate, Origin, Source
from factmill.models.answering.decomposing.question_plan import Combining, QuestionPlan
from factmill.models.answering.decomposing.subquestions import SubQuestion
from factmill.models.answering.words.answer_words import DONT_KNOW
from factmill.runtime.answers import combined_answers
from factmill.runtime.answers.answer import Draft
from factmill.runtime.answers.answer_tools import AnswerTools
from factmill.runtime.answers.combined_answers import combined_draft
from factmill.runtime.answers.hops import Hop
from factmill.runtime.answers.question_limits import QuestionLimits
from factmill.runtime.answers.session import Session
from factmill.runtime.index import Hit
from tests.runtime.answers.fixed_index import fixed_index

TABLE = "Mills\n| Mill | Built |\n| --- | --- |\n| Tarn | 1742 |"
HITS = tuple(
    Hit(1, 1.0, name, name, "", name, text, name, 0, len(text), ())
    for name, text in (("text", "It was built in 1742, and sold in 1790."), ("table", TABLE))
)
FIRST, SECOND = SubQuestion("1", "When was it built?"), SubQuestion("2", "When was it sold?")


def combined(combining: Combining, score: float) -> Draft:
    """The answer from the years 1742 and 1790, each found with this score."""
    plan = QuestionPlan((FIRST, SECOND), combining, ("A", "B"), (("1",), ("2",)))
    hops = {
        asked.id: Hop(asked, asked.question, HITS, (), (Candidate(year, score, 0, 16, 20),))
        for asked, year in ((FIRST, "1742"), (SECOND, "1790"))
    }
    session = Session("How many years after?", fixed_index(), AnswerTools(), QuestionLimits())
    return combined_draft(session, plan, hops)


def test_both_dates_of_events_without_a_noun_must_be_right_together() -> None:
    """A score of 0.65 is right in 74 of 100, so that both are in 55."""
    assert (combined(Combining.YEARS, 0.65).text, combined(Combining.YEARS, 0.95).text) == (
        "48",
    ) * 2
    assert combined(Combining.AFTER, 0.65).text == DONT_KNOW
    assert combined(Combining.AFTER, 0.95).text == "48"


@pytest.mark.parametrize(("score", "text"), [(0.75, "A"), (0.85, "B")])
def test_a_table_that_is_surer_than_the_parts_answers_the_whole_question(
    score: float, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(_: str, sources: Sequence[Source]) -> list[Candidate]:
        assert [one.text for one in sources] == [TABLE]
        return [Candidate("B", score, 0, 43, 47, Origin.CELL)]

    monkeypatch.setattr(combined_answers, "answers_in_tables", asked)

    assert combined(Combining.LEAST, 0.8).text == text

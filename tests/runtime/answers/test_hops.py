from __future__ import annotations

import asyncio
from typing import cast

import pytest

from factmill.models.answering.answer_candidates import Candidate
from factmill.models.answering.answer_models import AnswerModels
from factmill.models.answering.decomposing.relation_steps import with_relation_steps
from factmill.models.answering.decomposing.subquestions import SubQuestion, single
from factmill.runtime.answers.answer_tools import AnswerTools
from factmill.runtime.answers.hops import Hop, answer_hops
from factmill.runtime.answers.question_limits import QuestionLimits
from factmill.runtime.answers.session import Session
from factmill.runtime.index import Hit, Index
from tests.runtime.answers.fixed_index import FixedIndex

HITS = tuple(Hit(1, 1.0, name, name, "", name, name, name, 0, 1, ()) for name in "abc")


def hop(*scores: float) -> Hop:
    candidates = tuple(Candidate(f"answer {n}", score, n, 0, 1) for n, score in enumerate(scores))
    return Hop(SubQuestion("1", "Who?"), "Who?", HITS, (), candidates)


def test_two_candidates_that_are_as_good_are_carried_and_shown() -> None:
    found = hop(0.8, 0.78, 0.77)

    assert found.carried() == ["answer 0", "answer 1"]
    assert [hit.title for hit in found.answering()] == ["a", "b"]


def test_a_candidate_that_is_less_likely_is_not() -> None:
    assert hop(0.8, 0.5).carried() == ["answer 0"]
    assert [hit.title for hit in hop(0.8, 0.5).answering()] == ["a"]


def test_where_an_unlikely_candidate_stands_is_not_shown_for_it() -> None:
    assert hop(0.1).carried() == ["answer 0"]
    assert hop(0.1).answering() == []
    assert hop().carried() == hop().answering() == []


@pytest.mark.parametrize(("scores_spans", "text"), [(True, "scored"), (False, "ruled")])
def test_the_span_scorer_is_asked_only_where_it_may_be(scores_spans: bool, text: str) -> None:
    def says(answer: str) -> list[Candidate]:
        return [Candidate(answer, 0.8, 0, 0, 1)]

    index = FixedIndex({"Tarn": "Tarn is a mill."})
    index.answer_models = AnswerModels(lambda *_: says("scored"), lambda *_: says("ruled"))
    session = Session("What is Tarn?", cast(Index, index), AnswerTools(), QuestionLimits())
    hops = asyncio.run(answer_hops(session, single(session.question), scores_spans=scores_spans))

    assert [hop.answer for hop in hops.values()] == [text]


@pytest.mark.parametrize(("second", "answer"), [(0.5, "first"), (0.6, "second")])
def test_a_question_with_the_second_answer_put_in_must_find_clearly_more(
    second: float, answer: str
) -> None:
    found = {"Who built Tarn?": [("Ann", 0.8), ("Bob", 0.78)], "Ann": [("first", 0.4)]}
    found |= {"Bob": [("second", second)]}

    def extract(question: str, _: object) -> list[Candidate]:
        said = next(said for name, said in found.items() if name in question)
        return [Candidate(text, score, 0, 0, 1) for text, score in said]

    index = FixedIndex({"Tarn": "Tarn was built, born to Ann and Bob."})
    index.answer_models = AnswerModels(extract, extract)
    asked = [SubQuestion("1", "Who built Tarn?"), SubQuestion("2", "When was [1] born?", ("1",))]
    session = Session("When?", cast(Index, index), AnswerTools(), QuestionLimits())

    assert asyncio.run(answer_hops(session, asked))["2"].answer == answer


def test_a_question_that_repeats_a_relation_step_gets_the_answer_of_that_step() -> None:
    def extract(question: str, _: object) -> list[Candidate]:
        return [
            Candidate("Bo" if question == "Who is the mother of Ann Lee?" else "x", 0.8, 0, 0, 1)
        ]

    index = FixedIndex({"Ann": "Bo is the mother of Ann Lee."})
    index.answer_models = AnswerModels(extract, extract)
    asked = [
        SubQuestion("1", "Who is the maternal grandmother of Ann Lee?"),
        SubQuestion("2", "Where was the mother of Ann Lee born?"),
    ]
    session = Session("Where?", cast(Index, index), AnswerTools(), QuestionLimits())

    hops = asyncio.run(answer_hops(session, with_relation_steps(asked, session.question)))

    assert hops["2"].rewritten == "Where was Bo born?"

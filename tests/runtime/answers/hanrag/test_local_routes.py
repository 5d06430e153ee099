"""The routes of `hanrag` without an LLM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import pytest

from factmill.models.answering.relevance import relevance
from factmill.models.answering.relevance.relevance import RetrievedDocument
from factmill.models.arrays import Floats
from factmill.runtime.answers.answer import Answer
from factmill.runtime.answers.answer_question import answer
from factmill.runtime.answers.hanrag import local_revelator
from factmill.runtime.answers.question_limits import QuestionLimits
from factmill.runtime.index import Index
from tests.runtime.answers.fixed_index import FixedIndex, page_text

PAGES = {
    "Tarn Song": "Tarn Song is a 1961 film directed by Ann Lee.",
    "Saw Mill": "Saw Mill is a 1958 film directed by Bob Fry.",
    "Ann Lee": "Ann Lee (3 May 1921 – 1990) was a Danish director. She was born in Saltmere.",
    "Bob Fry": "Bob Fry (2 July 1930 – 1979) was a Danish director. He was born in Elland.",
}


class ByName:
    """Documents whose title stands in the question, or is `also`, help."""

    def __init__(self, also: str = "") -> None:
        self.also = also

    def relevance(self, question: str, documents: Sequence[RetrievedDocument]) -> Floats:
        likely = [float(one.title in question or one.title == self.also) for one in documents]
        return np.array(likely, np.float32)


@pytest.fixture(autouse=True)
def _by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_revelator, "default_relevance", lambda _: ByName())


def ask(question: str, steps: int = 5) -> Answer:
    index = cast(Index, FixedIndex(PAGES))
    found = answer(question, index, strategy="hanrag", limits=QuestionLimits(steps=steps))
    for citation in found.citations:
        assert page_text(PAGES[citation.title])[citation.start : citation.end] == citation.quote
    assert (found.strategy, found.notice, found.ledger.calls) == ("hanrag", "", 0)
    return found


@pytest.mark.parametrize(
    ("question", "text", "route"),
    [
        ("When was Ann Lee born?", "3 May 1921", "single"),
        ("When and where was Ann Lee born?", "3 May 1921; Saltmere", "compound"),
        ("When was the director of Tarn Song born?", "3 May 1921", "complex"),
        ("Which film was released first, Tarn Song or Saw Mill?", "Saw Mill", "compound"),
        ("Who directed Saw Mill, and where was he born?", "Bob Fry; Elland", "complex"),
        ("Who lived longer, Ann Lee or Bob Fry?", "Ann Lee", "compound"),
    ],
)
def test_every_route_leads_to_an_answer(question: str, text: str, route: str) -> None:
    found = ask(question)

    assert (found.text, found.steps[0].kind) == (text, "route")
    assert found.steps[0].answer.startswith(route)
    assert found.citations


def test_complex_asks_step_by_step_until_nothing_is_left() -> None:
    found = ask("When was the director of Tarn Song born?")

    kinds = [step.kind for step in found.steps]
    turn = ["refine", "relevance", "sub-question", "ending"]
    assert kinds == ["route", *turn, *turn]
    assert [step.answer for step in found.steps if step.kind == "ending"] == [
        "not enough", "enough",
    ]  # fmt: skip


def test_the_cap_ends_a_chain_and_its_middle_is_no_answer() -> None:
    found = ask("When was the director of Tarn Song born?", steps=1)

    assert not found.known
    assert found.steps[-1].answer == "1 steps are the most"


def test_a_chain_ends_where_a_step_finds_nothing() -> None:
    found = ask("When was the director of Nobody's Song born?")

    assert not found.known
    assert [step.kind for step in found.steps].count("sub-question") == 1


def test_of_several_things_asked_each_is_answered_or_not() -> None:
    found = ask("When was Ann Lee born, and when was Cid Orr born?")

    assert found.text == "3 May 1921; I don't know"
    assert {citation.title for citation in found.citations} == {"Ann Lee"}


def test_what_is_not_relevant_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    question = "When was Ann Lee born?"
    (step,) = (step for step in ask(question).steps if step.kind == "sub-question")
    assert [hit.title for hit in step.hits] == ["Ann Lee"]

    monkeypatch.setattr(local_revelator, "default_relevance", lambda _: ByName("Bob Fry"))
    (step,) = (step for step in ask(question).steps if step.kind == "sub-question")
    assert [hit.title for hit in step.hits] == ["Ann Lee", "Bob Fry"]


def test_the_scorer_that_ships_is_asked_where_nobody_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local_revelator, "default_relevance", relevance.default_relevance)

    (judged,) = (s for s in ask("When was Ann Lee born?").steps if s.kind == "relevance")
    assert judged.hits

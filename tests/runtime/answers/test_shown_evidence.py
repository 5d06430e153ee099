"""How much evidence the strategy `hybrid` shows its LLM."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from factmill.models.answering.attributes.attributes import Attributes, Domain, Dynamism
from factmill.runtime.answers.answer_tools import AnswerTools
from factmill.runtime.answers.question_limits import QuestionLimits
from factmill.runtime.answers.session import Session
from factmill.runtime.answers.shown_evidence import ShownEvidence, gather_evidence
from factmill.runtime.index import Index
from tests.runtime.answers.fixed_index import FixedIndex

STATIC = Attributes(Domain.OPEN, Dynamism.STATIC)
# A passage, with its mark and its title, is about 200 tokens: one for every four bytes.
PAGES = {f"Lock {n}": f"The lock raises boats {n}. {'It is long. ' * 64}" for n in range(10)}
TABLE = "| Lock | Boats |\n| --- | --- |\n| Quenby | 12 |\n| Ardith | 9 |"


def gathered(question: str, tokens: int, pages: dict[str, str]) -> ShownEvidence:
    session = Session(
        question, cast(Index, FixedIndex(pages)), AnswerTools(), QuestionLimits(tokens)
    )
    return asyncio.run(gather_evidence(session, STATIC))


@pytest.mark.parametrize(
    ("question", "tokens", "shown"),
    [
        ("Which boats does the lock raise?", 2200 + 830, 4),
        ("How many boats does the lock raise?", 2200 + 800 + 2 * 830, 4),
        ("Which boats does the lock raise?", 2200, 0),
        ("Which boats does the lock raise?", 100_000, 10),
    ],
)
def test_passages_leave_tokens_for_the_steps_that_follow(
    question: str, tokens: int, shown: int
) -> None:
    assert len(gathered(question, tokens, PAGES).passages) == shown


def test_a_third_of_the_tokens_is_kept_for_tables() -> None:
    pages = dict(list(PAGES.items())[:6]) | {"Boats of locks": TABLE}

    evidence = gathered("Which boats does the lock raise?", 2200 + 900, pages)

    texts = [passage.text for passage in evidence.passages]
    assert [text == TABLE for text in texts] == [False, False, True]

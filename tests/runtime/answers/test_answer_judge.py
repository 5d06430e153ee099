"""A judge of answers: which are judged, how they are counted, and what a failing judge does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from factmill.models.llm.completion import Completion, Message, Usage
from factmill.runtime.answers.answer import Answer, Ledger
from factmill.runtime.answers.answer_judge import JudgeVerdict, judged, judged_figures
from factmill.runtime.evaluate import Question
from factmill.schemas.errors import Rejected, ServerDown

CASES = [
    # said, gold answers, what the judge says
    ("Paris", ("paris",), None),
    ("the French capital", ("Paris",), '{"correct": true}'),
    ("Oslo", ("Paris",), 'Let me see. {"correct": false}'),
    ("I don't know", ("Paris",), None),
    ("Rome", ("Paris",), "It is wrong."),
    ("Rome, Italy", ("Paris",), Rejected("llm_failed", "the server hung up")),
    ("Bergen", ("Paris",), ServerDown("nobody answers")),
    ("Nice", ("Paris",), 'First {"correct": true}, but on reflection {"correct": false}'),
]
QUESTIONS = [
    Question(str(number), "Which is the capital?", gold, frozenset(), ("even", "")[number % 2])
    for number, (_, gold, _) in enumerate(CASES)
]
ANSWERS = [
    Answer("q", said, 0.5, (), False, (), Ledger(), "hybrid", "build") for said, _, _ in CASES
]


class _Judge:
    def __init__(self) -> None:
        self.prompts: list[str] = []

    async def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None = None,
        deadline: float | None = None,
        step: str = "",
    ) -> Completion:
        assert (step, schema is None, deadline is None) == ("judge", False, False)
        assert max_tokens > 0
        self.prompts.append(messages[-1].content)
        (said,) = [reply for text, _, reply in CASES if f" {text}\n" in messages[-1].content]
        if isinstance(said, Exception):
            raise said
        assert said is not None
        return Completion(said, False, Usage(1, 10, 10))


def test_what_is_said_in_other_words_is_judged_and_a_failing_judge_rejects_the_line() -> None:
    judge = _Judge()

    verdicts = asyncio.run(judged(QUESTIONS, ANSWERS, judge, 2))

    assert len(judge.prompts) == 6
    right = [None, True, False, None, None, None, None, False]
    assert [one and one.correct for one in verdicts] == right
    assert [bool(one and one.rejected) for one in verdicts] == [False] * 4 + [True] * 3 + [False]
    assert verdicts[5] is not None
    assert "hung up" in verdicts[5].rejected


def test_judged_lines_are_counted_apart() -> None:
    figures = judged_figures(
        QUESTIONS[:7],
        ANSWERS[:7],
        [None, JudgeVerdict(True), JudgeVerdict(False), None, *[JudgeVerdict(None, "x")] * 3],
    )

    assert figures["all"] == {
        "judged": 2, "judge_rejected": 3, "judged_truthfulness": pytest.approx(1 / 4),
    }  # fmt: skip
    assert figures["even"] == {"judged": 1, "judge_rejected": 2, "judged_truthfulness": 0.0}


def test_truthfulness_has_four_decimals() -> None:
    verdicts = [JudgeVerdict(True), JudgeVerdict(True), None]

    figures = judged_figures(QUESTIONS[1:4], ANSWERS[1:4], verdicts)

    assert figures["all"]["judged_truthfulness"] == 0.6667


def test_a_question_without_an_answer_needs_no_judge() -> None:
    judge = _Judge()
    question = Question("1", "Which is the capital?", (), frozenset(), "")

    assert asyncio.run(judged([question], [ANSWERS[1]], judge, 1)) == [None]
    assert judge.prompts == []

"""Answers a file of questions, and measures the answers.

`exact_match` and `f1` are SQuAD's, the best over the gold answers; `accuracy` is the share of
answers that contain a gold answer word for word; `unknown` is the share of "I don't know";
`truthfulness` is CRAG's: accuracy minus the share of wrong answers. `steps` counts consecutive
searches: concurrent ones count once. `calls`, `tokens`, `steps` and `seconds` are means over
questions. A question with several parts is right when every part is.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from itertools import zip_longest
from pathlib import Path

from factmill.models.answering.words.answer_words import answer_f1, holds_answer, same_answer
from factmill.runtime.answers.answer import RETRIEVE, SUB_QUESTION, Answer, AnswerStep
from factmill.runtime.answers.answer_judge import JudgeVerdict
from factmill.runtime.evaluate import Figures, Question, mean_figures
from factmill.schemas.storage.atomic import whole_file

_SEARCHES = (RETRIEVE, SUB_QUESTION)
# Answers a question that was asked at a time, None for now.
Ask = Callable[[str, datetime | None], Awaitable[Answer]]


async def answer_all(
    questions: Sequence[Question],
    ask: Ask,
    at_once: int,
    answers: dict[int, Answer] | None = None,
) -> list[Answer]:
    """The answers in order, with `at_once` questions in flight. `answers` gets each as soon as it
    is there, by the number of its question: an error does not take them away.
    """
    found = {} if answers is None else answers
    free = asyncio.Semaphore(at_once)

    async def one(number: int, question: Question) -> None:
        async with free:
            found[number] = await ask(question.text, question.asked_at)

    await asyncio.gather(*(one(number, each) for number, each in enumerate(questions)))
    return [found[number] for number in range(len(questions))]


def write_answers(
    path: Path,
    questions: Sequence[Question],
    answers: Sequence[Answer],
    verdicts: Sequence[JudgeVerdict | None] = (),
) -> None:
    """Write one JSON object a line: the answer, the id of its question, and the judge's verdict."""
    rows = (
        {"id": question.id, **found.as_json()} | ({"judge": verdict.as_json()} if verdict else {})
        for question, found, verdict in zip_longest(questions, answers, verdicts)
    )
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    with whole_file(path) as temporary:
        temporary.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def answer_figures(questions: Sequence[Question], answers: Sequence[Answer]) -> Figures:
    """Means over all questions, and over each data set."""
    rows = [
        figures_of(question.answers, found, question.answer_parts)
        for question, found in zip(questions, answers, strict=True)
    ]
    return mean_figures(questions, rows)


def figures_of(
    gold: Sequence[str], found: Answer, parts: Sequence[Sequence[str]] = ()
) -> dict[str, float]:
    """The figures of one answer."""
    said = found.text if found.known else ""
    right = float(bool(said) and (_holds_one(said, gold) or _holds_all(said, parts)))
    return {
        "exact_match": float(bool(said) and any(same_answer(said, one) for one in gold)),
        "f1": max((answer_f1(said, one) for one in gold), default=0.0),
        "accuracy": right,
        "unknown": float(not said),
        "truthfulness": right - float(bool(said) and not right),
        "calls": float(found.ledger.calls),
        "tokens": float(found.ledger.tokens),
        "steps": float(search_depth(found.steps)),
        "seconds": found.ledger.elapsed,
    }


def _holds_one(said: str, gold: Sequence[str]) -> bool:
    return any(holds_answer(said, one) for one in gold)


def _holds_all(said: str, parts: Sequence[Sequence[str]]) -> bool:
    return bool(parts) and all(_holds_one(said, part) for part in parts)


def search_depth(steps: Sequence[AnswerStep]) -> int:
    """The length of the longest chain of searches in which each waited for the one before."""
    depths: dict[str, int] = {}
    for step in steps:
        before = max((depths.get(need, 0) for need in step.needs), default=0)
        depths[step.id] = before + (step.kind in _SEARCHES)
    return max(depths.values(), default=0)

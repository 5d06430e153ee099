from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from factmill.runtime.answers.answer import Answer, AnswerStep, Ledger
from factmill.runtime.answers.evaluate_answers import (
    answer_all,
    answer_figures,
    figures_of,
    search_depth,
    write_answers,
)
from factmill.runtime.evaluate import Question
from factmill.schemas.errors import OptionError
from tests.conftest import SAMPLES

CASES = [
    # said, gold answers, data set
    ("The Mohan Kumar", ("mohan kumar!",), "a"),
    ("in Paris, France", ("Paris", "Lutetia"), "a"),
    ("Oslo", ("Paris",), "b"),
    ("I don't know", ("Paris",), "b"),
    ("yes", ("no",), ""),
    ("20 March 851", ("March 851",), "all"),
    ("A", ("The",), "b"),
]


def answer(text: str, calls: int = 2) -> Answer:
    ledger = Ledger(calls, 100 * calls, 7, {"answer": 0.1}, 0.25)
    return Answer("q", text, 0.5, (), False, (), ledger, "hashrag", "build")


QUESTIONS = [
    Question(str(number), "q", gold, frozenset(), dataset)
    for number, (_, gold, dataset) in enumerate(CASES)
]
ANSWERS = [answer(text, calls) for calls, (text, _, _) in enumerate(CASES)]


def reference(said: str, golds: tuple[str, ...]) -> dict[str, float]:
    """Exact match, F1 and accuracy, written anew from SQuAD's definition."""

    def plain(text: str) -> str:
        text = "".join(c for c in text.lower() if c.isalnum() or c in " _")
        return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())

    if said == "I don't know":
        return {"exact_match": 0.0, "f1": 0.0, "accuracy": 0.0, "unknown": 1.0, "truthfulness": 0.0}
    got, best = plain(said).split(), 0.0
    for gold in golds:
        wanted = plain(gold).split()
        common = sum((Counter(got) & Counter(wanted)).values())
        if common:
            precision, recall = common / len(got), common / len(wanted)
            best = max(best, 2 * precision * recall / (precision + recall))
    inside = any(plain(gold) and f" {plain(gold)} " in f" {plain(said)} " for gold in golds)
    return {
        "exact_match": float(any(plain(said) == plain(gold) for gold in golds)),
        "f1": best, "accuracy": float(inside), "unknown": 0.0,
        "truthfulness": 1.0 if inside else -1.0,
    }  # fmt: skip


@pytest.mark.parametrize(("group", "members"), [("all", range(7)), ("a", [0, 1]), ("b", [2, 3, 6])])
def test_figures_are_those_of_an_independent_reference(group: str, members: Any) -> None:
    figures = answer_figures(QUESTIONS, ANSWERS)[group]

    rows = [reference(CASES[number][0], CASES[number][1]) for number in members]
    for name in rows[0]:
        assert figures[name] == pytest.approx(sum(r[name] for r in rows) / len(rows), abs=1e-4)
    assert figures["calls"] == pytest.approx(sum(members) / len(rows), abs=1e-4)
    tokens = [100 * number + 7 for number in members]
    assert figures["tokens"] == pytest.approx(sum(tokens) / len(rows), abs=0.01)
    assert (figures["seconds"], figures["questions"]) == (0.25, len(rows))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("1742; Ann Lee", 1.0), ("Ann Lee built it in 1742", 1.0), ("Lee; 1742", 1.0),
        ("1742; I don't know", 0.0), ("I don't know", 0.0),
    ],
)  # fmt: skip
def test_a_question_of_parts_is_answered_when_every_part_is(text: str, right: float) -> None:
    figures = figures_of(("1742; Ann Lee",), answer(text), (("1742",), ("Ann Lee", "Lee")))

    assert figures["accuracy"] == right


def test_searches_at_the_same_time_are_one_step() -> None:
    chain = [
        AnswerStep("route", "route"), AnswerStep("1", "sub-question"),
        AnswerStep("refine-2", "refine", needs=("1",)),
        AnswerStep("2", "sub-question", needs=("refine-2",)),
    ]  # fmt: skip
    compound = [AnswerStep("1", "sub-question"), AnswerStep("2", "sub-question")]
    merged = AnswerStep("answer", "answer", needs=("1", "2"))

    assert search_depth([*chain, merged]) == 2
    assert search_depth([*compound, merged]) == 1
    assert search_depth([AnswerStep("retrieve", "retrieve")]) == 1
    assert search_depth([AnswerStep("answer", "answer")]) == 0


def test_groups_are_the_data_sets_that_have_a_name() -> None:
    assert set(answer_figures(QUESTIONS, ANSWERS)) == {"all", "a", "b"}


def test_answers_are_written_a_line_each_with_the_id(tmp_path: Path) -> None:
    write_answers(tmp_path / "answers.jsonl", QUESTIONS, ANSWERS)

    lines = (tmp_path / "answers.jsonl").read_text().splitlines()
    read = [json.loads(line) for line in lines]
    assert [one["id"] for one in read] == [question.id for question in QUESTIONS]
    assert [one["known"] for one in read] == [True] * 3 + [False] + [True] * 3
    assert read[1]["ledger"] == {
        "calls": 1, "prompt_tokens": 100, "completion_tokens": 7, "seconds": {"answer": 0.1},
        "elapsed": 0.25,
    }  # fmt: skip


def test_questions_are_asked_concurrently_and_answers_keep_their_order() -> None:
    running, most = 0, 0

    async def ask(text: str, _: datetime | None) -> Answer:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return answer(text)

    questions = [Question(str(n), f"text {n}", (), frozenset(), "") for n in range(20)]
    answers = asyncio.run(answer_all(questions, ask, 3))

    assert most == 3
    assert [one.text for one in answers] == [question.text for question in questions]


def test_answers_so_far_outlive_an_error() -> None:
    async def ask(text: str, _: datetime | None) -> Answer:
        if text == "text 2":
            raise OptionError("the key has expired")
        return answer(text)

    questions = [Question(str(n), f"text {n}", (), frozenset(), "") for n in range(4)]
    so_far: dict[int, Answer] = {}
    with pytest.raises(OptionError):
        asyncio.run(answer_all(questions, ask, 1, so_far))

    assert {number: so_far[number].text for number in (0, 1)} == {0: "text 0", 1: "text 1"}
    assert 2 not in so_far


def test_a_question_is_answered_at_its_time() -> None:
    times = [datetime(2024, 3, 13, tzinfo=timezone.utc), None]
    asked: list[datetime | None] = []

    async def ask(text: str, asked_at: datetime | None) -> Answer:
        asked.append(asked_at)
        return answer(text)

    questions = [Question("q", "Who?", (), frozenset(), "", at) for at in times]
    asyncio.run(answer_all(questions, ask, 1))

    assert asked == times


SCORE = SAMPLES.resolve().parents[1] / "shared" / "score" / "score.py"


@pytest.mark.skipif(
    not SCORE.is_file(), reason="the scores of acceptance are not beside the checkout"
)
def test_figures_are_those_of_acceptance(tmp_path: Path) -> None:
    answers, questions = tmp_path / "answers.jsonl", tmp_path / "questions.jsonl"
    write_answers(answers, QUESTIONS, ANSWERS)
    rows = (
        {"id": one.id, "question": one.text, "answers": one.answers}
        | ({"dataset": one.dataset} if one.dataset else {})
        for one in QUESTIONS
    )
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    command = [sys.executable, str(SCORE), "answers", str(answers), str(questions)]
    scores = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    figures = answer_figures(QUESTIONS, ANSWERS)
    assert set(scores) == set(figures)
    for group, of_group in scores.items():
        for name, value in of_group.items():
            ours = figures[group]["questions" if name == "n" else name]
            assert ours == pytest.approx(value, abs=1e-3), (group, name)

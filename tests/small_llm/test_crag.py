"""CRAG's file against a small real LLM: what is said stands in its evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factmill.models.answering.words.answer_words import DONT_KNOW, holds_answer
from factmill.pipelines.cli.main import main
from tests.pipelines.cli.test_crag_end_to_end import CASES, crag_line
from tests.small_llm.conftest import SmallLlm

pytestmark = pytest.mark.timeout(1200)

QUESTIONS = [CASES[number] for number in (0, 1, 3)]  # what stands there, what does not, a sum


def holds(answer: dict[str, Any]) -> bool:
    """Whether a quote or a calculation of an answer has its text."""
    number = answer["text"].replace(",", "")
    computed = (step["answer"] for step in answer["steps"] if step["kind"] == "calculate")
    quotes = (citation["quote"] for citation in answer["citations"])
    return any(holds_answer(quote, answer["text"]) for quote in quotes) or any(
        number in value for value in computed
    )


def test_what_is_said_stands_in_the_evidence(
    small_llm: SmallLlm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, written = tmp_path / "crag.jsonl", tmp_path / "answers.jsonl"
    lines = (json.dumps(crag_line(n, *case[:3])) for n, case in enumerate(QUESTIONS))
    questions.write_text("\n".join(lines))

    assert main([
        "evaluate", "--own-pages", "--questions", str(questions), "--strategy", "hybrid",
        "--llm-url", small_llm.url, "--llm-model", "smollm2", "--llm-in-flight", "1",
        "--question-seconds", "300", "--answers", str(written), "--json",
    ]) == 0  # fmt: skip

    figures = json.loads(capsys.readouterr().out)["all"]
    answers = [json.loads(line) for line in written.read_text().splitlines()]
    assert len(answers) == figures["questions"] == len(QUESTIONS)
    right = sum(
        one["known"] and holds_answer(one["text"], case[1])
        for one, case in zip(answers, QUESTIONS, strict=True)
    )
    wrong = sum(one["known"] for one in answers) - right
    assert figures["truthfulness"] == pytest.approx((right - wrong) / len(QUESTIONS), abs=1e-4)
    for one in answers:
        assert one["known"] is (one["text"] != DONT_KNOW)
        assert not one["known"] or one["text"] == "invalid question" or holds(one)

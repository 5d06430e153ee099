"""How sure answers without an LLM are, and how often they are right: the reliability diagram.

    python -m tests.benchmarks.bench_answers STORE QUESTIONS.jsonl [--sample 300] [--datasets a,b]

Prints for each bin of scores how many answers fall into it and how many of them hold a gold answer,
and for each threshold what would be said. On a store without the questions' pages every answer is
wrong: that is where the threshold comes from.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from pathlib import Path
from unittest.mock import patch

from factmill.models.answering.answer_words import holds_answer
from factmill.models.answering.calibration import confidence_of
from factmill.runtime.answers import extractive
from factmill.runtime.answers.answer_question import answer_async
from factmill.runtime.evaluate import Question, read_questions
from factmill.runtime.index import open_index

_BINS = (0.0, 0.2, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 1.01)


def scored(store: str, questions: list[Question]) -> tuple[list[tuple[float, bool]], float]:
    """Of each question the score of its answer and whether it is right; seconds a question."""
    index = open_index(store)

    async def work() -> tuple[list[tuple[float, bool]], float]:
        await answer_async("What is read at first?", index)
        start, rows = time.perf_counter(), []
        for question in questions:
            found = await answer_async(question.text, index)
            right = any(holds_answer(found.text, gold) for gold in question.answers)
            rows.append((found.confidence if found.known else 0.0, right))
        return rows, (time.perf_counter() - start) / len(questions)

    with (
        patch.object(extractive, "MIN_SCORE", 0.0),
        patch.object(extractive, "confidence_of", lambda score: score),
    ):
        return asyncio.run(work())


def print_reliability(rows: list[tuple[float, bool]]) -> None:
    """Bins of scores, then thresholds."""
    for low, high in zip(_BINS, _BINS[1:], strict=False):
        members = [right for score, right in rows if low <= score < high and score > 0]
        if members:
            share, said = sum(members) / len(members), confidence_of((low + min(high, 1.0)) / 2)
            print(f"score {low:.2f}-{high:.2f}: {len(members):4} right {share:.3f} said {said:.3f}")
    for least in _BINS[:-1]:
        kept = [right for score, right in rows if score >= least and score > 0]
        right, wrong = sum(kept) / len(rows), sum(not one for one in kept) / len(rows)
        print(f"from {least:.2f}: right {right:.3f} wrong {wrong:.3f} of all questions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--datasets", default="")
    options = parser.parse_args()
    questions = read_questions(options.questions, needs_gold=False)
    if options.datasets:
        questions = [one for one in questions if one.dataset in options.datasets.split(",")]
    random.Random(3).shuffle(questions)
    rows, seconds = scored(options.store, questions[: options.sample])
    print_reliability(rows)
    print(f"{1000 * seconds:.0f} ms a question")


if __name__ == "__main__":
    main()

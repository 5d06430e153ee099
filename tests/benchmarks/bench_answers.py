"""Confidence of answers without an LLM, and how often they are right: reliability tables.

    python -m tests.benchmarks.bench_answers STORE QUESTIONS.jsonl [STORE QUESTIONS.jsonl ...]
        [--sample 300] [--datasets a,b] [--half 1] [--without-gold]

For each origin of an answer, prints how many answers have about the same score, and how many of
them are right; `models/answering/calibration.py` has these tables. Then the same for confidences,
and the shares of right and wrong answers for each threshold. If a question has no gold answer, any
answer to it is wrong. `--without-gold` removes the pages that contain the answers from the search
results, so that any answer is wrong. `--half` selects one half of the questions, by a hash of their
ids; `fit_span_weights.py` is fitted to half 0.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from factmill.models.answering.answer_candidates import Origin
from factmill.models.answering.calibration import MIN_CONFIDENCE, confidence_of
from factmill.models.answering.words.answer_words import holds_answer
from factmill.runtime.answers import combined_answers
from factmill.runtime.answers.answer_question import answer_async
from factmill.runtime.evaluate import Question, read_questions
from factmill.runtime.index import Hit, Index
from factmill.runtime.opening import open_index

_BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)


class Scored(NamedTuple):
    """An answer before any threshold: scores and origins of its hops; is it right?."""

    dataset: str
    hops: tuple[tuple[float, Origin], ...]
    right: bool
    answerable: bool

    @property
    def confidence(self) -> float:
        """The confidence that would be published."""
        return min((confidence_of(*hop) for hop in self.hops), default=0.0)


def scored(index: Index, questions: Sequence[Question], without_gold: bool) -> list[Scored]:
    """The scored answers to all questions."""
    hops: list[tuple[float, Origin]] = []
    gold: set[str] = set()
    search = Index.search_pages

    def noted(score: float, origin: Origin) -> float:
        hops.append((score, origin))
        return score

    def found(self: Index, query: str, k: int, most: int, tables: int = 0) -> list[list[Hit]]:
        pages = search(self, query, k + len(gold), most, tables)
        return [page for page in pages if page and page[0].source_id not in gold][:k]

    async def work() -> list[Scored]:
        rows = []
        for question in questions:
            hops.clear()
            gold.clear()
            gold.update(question.gold_ids if without_gold else ())
            said = await answer_async(question.text, index)
            right = said.known and any(holds_answer(said.text, one) for one in question.answers)
            kept = tuple(hops) if said.known else ()
            rows.append(Scored(question.dataset, kept, right, bool(question.answers)))
        return rows

    with (
        patch.object(combined_answers, "MIN_CONFIDENCE", 0.0),
        patch.object(combined_answers, "confidence_of", noted),
        patch.object(Index, "search_pages", found),
    ):
        return asyncio.run(work())


def print_bins(name: str, rows: Sequence[Scored], of: Callable[[Scored], float]) -> None:
    """Print how many answers have about the same number, and how many of them are right."""
    print(f"{name}: {len(rows)} answers")
    for low, high in zip(_BINS, _BINS[1:], strict=False):
        members = [row for row in rows if low <= of(row) < high]
        if members:
            mean = sum(map(of, members)) / len(members)
            share = sum(row.right for row in members) / len(members)
            bounds = f"{low:.1f}-{min(high, 1.0):.1f}"
            print(f"  {bounds}: {len(members):4} mean {mean:.3f} right {share:.3f}")


def print_thresholds(name: str, rows: Sequence[Scored]) -> None:
    """Print the shares of all questions answered right and wrong, for each minimum confidence."""
    print(f"{name}: {len(rows)} questions")
    for least in sorted({*_BINS[1:8], MIN_CONFIDENCE}):
        kept = [row for row in rows if row.confidence >= least]
        right, wrong = (sum(row.right is one for row in kept) / len(rows) for one in (True, False))
        silent = sum(not row.answerable and row.confidence < least for row in rows) / len(rows)
        mark = " <- published" if least == MIN_CONFIDENCE else ""
        print(
            f"  from {least:.2f}: right {right:.3f} wrong {wrong:.3f}"
            f" silent where nothing is to be said {silent:.3f}{mark}"
        )


def kept_questions(options: argparse.Namespace, path: str) -> list[Question]:
    """The questions of a file that the options select."""
    questions = read_questions(Path(path), needs_gold=False)
    if options.datasets:
        questions = [one for one in questions if one.dataset in options.datasets.split(",")]
    if options.half is not None:
        questions = [
            one
            for one in questions
            if hashlib.sha256(one.id.encode()).digest()[0] % 2 == options.half
        ]
    random.Random(3).shuffle(questions)
    return questions[: options.sample]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", nargs="+", metavar="STORE QUESTIONS")
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--datasets", default="")
    parser.add_argument("--half", type=int)
    parser.add_argument("--without-gold", action="store_true")
    options = parser.parse_args()
    rows: list[Scored] = []
    for store, path in zip(options.inputs[::2], options.inputs[1::2], strict=True):
        index, questions = open_index(store), kept_questions(options, path)
        asyncio.run(answer_async("What is read at first?", index))
        start = time.process_time()
        of_file = scored(index, questions, options.without_gold)
        each = 1000 * (time.process_time() - start) / len(questions)
        print_thresholds(f"{path} ({each:.0f} ms of processor a question)", of_file)
        by_set: dict[str, list[Scored]] = defaultdict(list)
        for row in of_file:
            by_set[row.dataset].append(row)
        for dataset, members in sorted(by_set.items()):
            said = [row for row in members if row.confidence >= MIN_CONFIDENCE]
            right, share = sum(row.right for row in said) / len(members), len(said) / len(members)
            print(f"  {dataset}: {len(members)} questions, right {right:.3f}, said {share:.3f}")
        rows += of_file
    for origin in Origin:
        of_origin = [row for row in rows if len(row.hops) == 1 and row.hops[0][1] is origin]
        if of_origin:
            print_bins(f"score of {origin.value}", of_origin, lambda row: row.hops[0][0])
    print_bins("confidence", [row for row in rows if row.hops], lambda row: row.confidence)


if __name__ == "__main__":
    main()

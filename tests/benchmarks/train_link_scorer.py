"""Trains the link scorer (`models/links`) on labelled questions, and measures it.

    python -m tests.benchmarks.train_link_scorer --train STORE QUESTIONS.jsonl
        [--train STORE QUESTIONS.jsonl ...] [--own STORE ...] [--test STORE QUESTIONS.jsonl ...]
        [--folds 3] [--out FILE]

Train it on questions that need one page and on questions that need several, so that it learns when
to follow names. First, cross-validation prints recall by scorers that have not seen the questions,
beside the ranking without names. Then a scorer of all questions is written to --out, by default the
file in the package. --own adds questions made from a build: composed ones that need several pages,
and pairs. --test only measures, beside the scorer in the package.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from safetensors.numpy import save_file

from factmill.models.links.asked_question import (
    DEPTHS,
    AskedQuestion,
    mean_recalls,
    recalls_of,
)
from factmill.models.links.link_config import FROM_NOTHING
from factmill.models.links.link_scorer import FILE, LinkScorer, default_scorer
from factmill.models.links.link_selection import held_out_scorers
from factmill.models.links.link_training import train_link_scorer
from factmill.pipelines.link_training_questions import asked_questions
from factmill.runtime.evaluate import Question, read_questions
from factmill.runtime.opening import open_index
from factmill.schemas.ids import content_id
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.storage.paths import files_below, local_copy, parse_storage_path

_MIN_PAIRS = 600


def own_questions(store: str) -> list[Question]:
    """Questions made from a build: composed ones that need several pages, and the same number of
    its pairs, each of one page, but at least a minimum. The same in every run.
    """
    (build,) = Store(parse_storage_path(store)).builds()
    composed = [
        Question(row["composed_id"], row["question"], (), pages, "composed")
        for row in _rows(build, "22_composed_questions", ["composed_id", "question", "parts"])
        if len(pages := frozenset(part["page_id"] for part in row["parts"])) > 1
    ]
    pairs = sorted(
        _rows(build, "21_qa_pairs", ["unit_id", "question", "page_id"]),
        key=lambda row: content_id("sample", row["unit_id"]),
    )
    return composed + [
        Question(row["unit_id"], row["question"], (), frozenset({row["page_id"]}), "pairs")
        for row in pairs[: max(len(composed), _MIN_PAIRS)]
    ]


def _rows(build: BuildDir, table: str, columns: list[str]) -> Iterator[dict[str, Any]]:
    for part in files_below(build.root / table):
        yield from pq.ParquetFile(local_copy(part)).read(columns).to_pylist()


def report(
    title: str, questions: Sequence[AskedQuestion], scorers: Sequence[LinkScorer | None]
) -> None:
    """Print mean recall for each dataset and for all; `scorers` has the scorer of each question."""
    print(f"{title}: recall@{'/'.join(map(str, DEPTHS))}")
    for name, recalls in mean_recalls(questions, recalls_of(questions, scorers)).items():
        count = sum(name in (question.dataset, "all") for question in questions)
        means = "/".join(f"{100 * value:.1f}" for value in recalls.values())
        print(f"  {name:20} {count:5}  {means}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--train", "--test"):
        parser.add_argument(
            option, nargs=2, action="append", default=[], metavar=("STORE", "QUESTIONS.jsonl")
        )
    parser.add_argument("--own", action="append", default=[], metavar="STORE")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=FILE)
    options = parser.parse_args()
    questions = _asked_of(options.train)
    for store in options.own:
        with open_index(store) as index:
            questions += asked_questions(index, own_questions(store))
    examples = [question.example() for question in questions]
    report("without names", questions, [None] * len(questions))
    held_out = held_out_scorers(examples, options.folds, FROM_NOTHING)
    report("not seen in training", questions, held_out)
    scorer = train_link_scorer(examples)
    tested = _asked_of(options.test)
    if tested:
        report("tested, without names", tested, [None] * len(tested))
        report("tested, scorer of the package", tested, [default_scorer()] * len(tested))
        report("tested, this scorer", tested, [scorer] * len(tested))
    save_file(scorer.tensors(), options.out, {"questions": str(len(questions))})


def _asked_of(files: Sequence[tuple[str, str]]) -> list[AskedQuestion]:
    found: list[AskedQuestion] = []
    for store, file in files:
        with open_index(store) as index:
            found += asked_questions(index, read_questions(parse_storage_path(file)))
    return found


if __name__ == "__main__":
    main()

"""Trains the scorer of names (`models/links`) on labelled questions, and measures it.

    python -m tests.benchmarks.train_link_scorer --train STORE QUESTIONS.jsonl
        [--train STORE QUESTIONS.jsonl ...] [--own STORE ...] [--test STORE QUESTIONS.jsonl ...]
        [--folds 3] [--out FILE]

Train it on questions of one page and of several: it learns from both when to follow names. First,
recall at some depths by scorers that have not seen the questions (cross-validation), beside the
ranking without names. Then a scorer of all questions is written; the file in the package
unless --out names another. With --own it also learns from questions of a build itself: its composed
ones that need several pages, and its pairs. Questions of --test are for measuring only, beside the
scorer in the package.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from safetensors.numpy import save_file

from factmill.models.lexical.bm25 import Floats
from factmill.models.links.link_scorer import FILE, LinkScorer, default_scorer, lifted
from factmill.models.links.link_training import LinkExample, nearness, train_link_scorer
from factmill.models.text.gold_ids import GoldIds
from factmill.runtime.evaluate import Question, read_questions
from factmill.runtime.index import Index
from factmill.runtime.opening import open_index
from factmill.runtime.search.page_ranking import UnrankedPages
from factmill.schemas.ids import content_id
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.storage.paths import local_copy, parse_storage_path

_DEPTHS = (1, 2, 5, 20)
# Pages that candidates are looked for, as for a search with the default -k.
_K = 20
_LEAST_PAIRS = 600


@dataclass(frozen=True)
class Asked:
    """A question and what was found for it. `named` are the positions of named pages among all;
    the gold pages that were not found count as well."""

    dataset: str
    example: LinkExample
    features: Floats
    fused: np.ndarray
    named: np.ndarray
    gold: np.ndarray
    missing: int

    def recalls(self, scorer: LinkScorer | None) -> list[float]:
        scores = self.fused.copy()
        if scorer:
            lifts = scorer.lifts(self.features)
            scores[self.named] = lifted(scores[self.named], scores.max(), lifts)
        gold = self.gold[np.argsort(-scores, kind="stable")]
        whole = gold.sum() + self.missing
        return [float(gold[:depth].sum() / whole) for depth in _DEPTHS]


def gold_pages(index: Index, questions: Sequence[Question]) -> dict[str, int]:
    """The number of the page of each gold id."""
    ids = GoldIds(name for question in questions for name in question.gold_ids)
    return {
        name: page for page, names in enumerate(index.page_names()) for name in ids.of_page(*names)
    }


def asked(index: Index, questions: Sequence[Question]) -> list[Asked]:
    """The questions whose gold pages are all there."""
    pages = gold_pages(index, questions)
    found = []
    for question in questions:
        gold_numbers = {pages[name] for name in question.gold_ids if name in pages}
        if len(gold_numbers) < len({*question.gold_ids}):
            continue
        unranked = index.page_search.unranked(index.encode([question.text])[0], _K)
        scored = unranked.pages
        gold = np.isin(scored.pages, list(gold_numbers))
        missing = len(gold_numbers) - int(gold.sum())
        found.append(
            Asked(
                question.dataset, example_of(unranked, gold), unranked.features, scored.fused,
                unranked.named, gold, missing,
            )
        )  # fmt: skip
    return found


def own_questions(store: str) -> list[Question]:
    """Questions that a build asks itself: the composed ones that need several pages, and as many of
    its pairs, each of one page, as there are, but at least so many. Always the same."""
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
        for row in pairs[: max(len(composed), _LEAST_PAIRS)]
    ]


def _rows(build: BuildDir, table: str, columns: list[str]) -> Iterator[dict[str, Any]]:
    for part in sorted(build.root.glob(f"{table}/*/*.parquet")):
        yield from pq.ParquetFile(local_copy(part)).read(columns).to_pylist()


def example_of(unranked: UnrankedPages, gold: np.ndarray) -> LinkExample:
    """What training needs of a question's pages, of which these are gold."""
    fused = unranked.pages.fused
    best = int(fused.argmax())
    others = np.ones(len(fused), np.bool_)
    others[[best, *unranked.named]] = False
    named = unranked.named != best
    positions, scores = unranked.named[named], nearness(fused, fused[best])
    return LinkExample(
        scores[positions], gold[positions], unranked.features[named], scores[others], gold[others]
    )


def report(title: str, questions: Sequence[Asked], scorers: Sequence[LinkScorer | None]) -> None:
    """Print mean recall for each dataset and for all; each question has its scorer."""
    of_dataset: dict[str, list[list[float]]] = defaultdict(list)
    for question, scorer in zip(questions, scorers, strict=True):
        recalls = question.recalls(scorer)
        for name in (question.dataset, "all"):
            of_dataset[name].append(recalls)
    print(f"{title}: recall@{'/'.join(map(str, _DEPTHS))}")
    for name, recalls_of in sorted(of_dataset.items()):
        means = "/".join(f"{100 * value:.1f}" for value in np.mean(recalls_of, axis=0))
        print(f"  {name:20} {len(recalls_of):5}  {means}")


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
            questions += asked(index, own_questions(store))
    fold = np.random.default_rng(0).integers(0, options.folds, len(questions))
    scorers = [
        train_link_scorer(
            [one.example for one, of in zip(questions, fold, strict=True) if of != left_out]
        )
        for left_out in range(options.folds)
    ]
    report("without names", questions, [None] * len(questions))
    report("not seen in training", questions, [scorers[of] for of in fold])
    scorer = train_link_scorer([one.example for one in questions])
    tested = _asked_of(options.test)
    if tested:
        report("tested, without names", tested, [None] * len(tested))
        report("tested, scorer of the package", tested, [default_scorer()] * len(tested))
        report("tested, this scorer", tested, [scorer] * len(tested))
    save_file(scorer.tensors(), options.out, {"questions": str(len(questions))})


def _asked_of(files: Sequence[tuple[str, str]]) -> list[Asked]:
    found: list[Asked] = []
    for store, file in files:
        with open_index(store) as index:
            found += asked(index, read_questions(parse_storage_path(file)))
    return found


if __name__ == "__main__":
    main()

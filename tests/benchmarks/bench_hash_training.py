"""Contribution of each part of the hash head's training to recall, on a published build.

    python -m tests.benchmarks.bench_hash_training STORE QUESTIONS.jsonl
        [--train-questions FILE.jsonl] [--vary gamma|losses|rounds|length] [--seconds N]

For each configuration, learns a head from the build's examples (training_examples.py), computes the
codes of all rows, and prints recall by equation 10 with float queries. `--seconds N` only prints
the time of training with N examples, drawn with repetition.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from factmill.models.arrays import Floats
from factmill.models.codes.hash_config import TrainingConfig
from factmill.models.codes.hash_examples import Examples
from factmill.models.codes.hash_head import HashHead
from factmill.models.codes.hash_initialisation import initial_head
from factmill.models.codes.hash_selection import learn_head
from factmill.models.encoding.encoder import Encoder
from factmill.runtime.evaluate import Question, read_questions
from factmill.schemas.layout import Store
from factmill.schemas.manifest import read_manifest
from factmill.transforms.learn.sample_sizes import sample_sizes
from factmill.transforms.learn.training_examples import (
    LabelledQuestion,
    build_examples,
    gather_examples,
)
from tests.benchmarks.baselines.judging import DEPTHS, PageRanking
from tests.benchmarks.baselines.units import Units, all_pages, read_units

_ROWS_AT_ONCE = 20_000
# Rows with the best scores, whose segments are ranked.
_NEAREST_ROWS = 1000


def variations(name: str, bits: int) -> Iterator[tuple[str, TrainingConfig]]:
    """The configurations to compare."""
    usual = TrainingConfig(bits=bits)
    if name == "gamma":
        yield from ((f"gamma {gamma}", replace(usual, gamma=gamma)) for gamma in (1, 10, 100, 500))
    elif name == "rounds":
        yield from ((f"{n} rounds", replace(usual, rounds=n)) for n in (0, 1, 3, 6))
    elif name == "length":
        yield from ((f"{n} bits", replace(usual, bits=n)) for n in (64, 128, 256, 384, 512, 768))
    else:
        yield "all losses", usual
        for loss in ("asymmetric", "ranking", "candidates", "preservation"):
            yield f"without {loss}", replace(usual, **{loss: 0.0})  # type: ignore[arg-type]


def recalls(head: HashHead, units: Units, queries: Floats, gold: list[list[int]]) -> list[float]:
    """Mean recall at each depth; pages with the same score as a gold page rank before it."""
    codes = np.concatenate(
        [
            head.signs(units.vectors[start : start + _ROWS_AT_ONCE])
            for start in range(0, len(units.vectors), _ROWS_AT_ONCE)
        ]
    )
    ranking = PageRanking(units)
    found = []
    for query, pages in zip(head.queries(queries), gold, strict=True):
        scores = codes @ query
        nearest = np.argpartition(-scores, min(_NEAREST_ROWS, len(scores)) - 1)[:_NEAREST_ROWS]
        ranked = ranking.by_equation(nearest, scores.__getitem__)
        of_page = dict(zip(ranked.numbers.tolist(), ranked.scores.tolist(), strict=True))
        ranks = [
            np.sum(ranked.scores >= of_page[page]) if page in of_page else np.inf for page in pages
        ]
        found.append([np.mean([rank <= depth for rank in ranks]) for depth in DEPTHS])
    return [float(value) for value in np.mean(found, axis=0)]


def answered(questions: list[Question], units: Units) -> tuple[list[Question], list[list[int]]]:
    """The questions whose gold pages are all in the build, with the numbers of these pages."""
    numbers: dict[str, int] = {}
    for number, page in enumerate(units.pages):
        numbers[page.page_id] = numbers[page.source_id] = number
    kept = [question for question in questions if question.gold_ids <= numbers.keys()]
    return kept, [[numbers[name] for name in question.gold_ids] for question in kept]


def seconds(examples: Examples, count: int) -> None:
    """Print the seconds that training with `count` examples takes."""
    rows = np.random.default_rng(1).integers(0, len(examples), count)
    began = time.monotonic()
    learn_head(examples.take(rows), TrainingConfig(), "benchmark")
    print(f"{count:,} examples: {time.monotonic() - began:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--train-questions", type=Path)
    parser.add_argument("--bits", type=int, default=384)
    parser.add_argument("--vary", choices=["gamma", "losses", "rounds", "length"], default="losses")
    parser.add_argument("--seconds", type=int, default=0, metavar="EXAMPLES")
    options = parser.parse_args()
    build = Store(options.store).published()
    shards, encoder = read_manifest(build).shards, Encoder()
    labelled = [
        LabelledQuestion(question.text, question.gold_ids)
        for question in (read_questions(options.train_questions) if options.train_questions else ())
    ]
    gathered = gather_examples(build, shards, sample_sizes(build, shards), labelled)
    examples = build_examples(build, encoder, gathered, build).vectors
    print(f"{len(examples):,} examples, {len(examples.units):,} units to learn from")
    if options.seconds:
        seconds(examples, options.seconds)
        return
    head = HashHead.load(build.hash_head)
    units = read_units(build, all_pages(build, shards), head.bits, head.dimension)
    questions, gold = answered(read_questions(options.questions), units)
    queries = encoder.encode([question.text for question in questions])
    print(f"{len(units.vectors):,} rows, {len(questions):,} questions")

    def line(name: str, measured: list[float], about: str) -> None:
        print(f"{name:22} {'/'.join(f'{value:.4f}' for value in measured)}  {about}", flush=True)

    rotation = initial_head(examples.units, TrainingConfig(bits=options.bits), "benchmark")
    line("rotation", recalls(rotation, units, queries, gold), "")
    for name, config in variations(options.vary, options.bits):
        began = time.monotonic()
        learned = learn_head(examples, config, "benchmark")
        took = time.monotonic() - began
        fell = all(after <= before for before, after in learned.sweeps)
        about = f"{took:.0f} s, sweeps {'only fall' if fell else 'ROSE'}"
        line(name, recalls(learned.head, units, queries, gold), about)


if __name__ == "__main__":
    main()

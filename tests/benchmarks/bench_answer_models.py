"""Evaluates the answer models of a store on a file of examples.

factmill build STORE --input PAGES --train-extractor qa/train.json --train-rewriter train.json
python -m tests.benchmarks.bench_answer_models STORE span_extractor qa/test.json
python -m tests.benchmarks.bench_answer_models STORE rewriter rewrite/test.json
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from factmill.models.answering.answer_models import span_models
from factmill.models.answering.example_files import examples_in, open_examples
from factmill.schemas.layout import Store
from factmill.transforms.learn.learn_answer_models import TRAINERS


def main(store: str, name: str, path: str) -> None:
    """Print the figures, and the milliseconds per example."""
    trainer = next(trainer for trainer in TRAINERS if trainer.name == name)
    rows = examples_in(open_examples(Path(path), "FILE"), "FILE", trainer.read)
    model = span_models(Store(Path(store)).published())[name]
    model.check()
    start = time.monotonic()
    figures = trainer.figures(model, rows)
    milliseconds = 1000 * (time.monotonic() - start) / len(rows)
    print({key: round(value, 4) for key, value in figures.items()}, f"{milliseconds:.0f} ms each")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Trains an R2-Former to judge how relevant the pages of a search are, and measures it.

    python -m factmill.pipelines.train_r2former OUT --train STORE QUESTIONS.jsonl [--train ...]
        [--own N] [--held-out STORE QUESTIONS.jsonl] [--features relevance,precedent,...] [--seed N]

Questions whose gold pages are not in their store are left out. `--own` adds questions made from
each store's own QA pairs, of N pages. All stores must share one encoder, which the model is then
tied to. A killed run resumes. The model in the package, card and weights, was made this way;
another default encoder needs a new one.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from factmill.models.answering.r2former.page_features import CHOSEN_FEATURES, PAGE_FEATURES
from factmill.models.answering.r2former.r2former import R2Former, R2FormerCard
from factmill.models.answering.r2former.r2former_training import save_r2former, train_r2former
from factmill.models.answering.r2former.training_config import R2FormerTraining
from factmill.pipelines.cli.argument_types import count, positive
from factmill.pipelines.cli.exit_codes import OutputFormat, exit_code
from factmill.pipelines.cli.line_parser import LineParser
from factmill.pipelines.own_questions import own_questions
from factmill.pipelines.relevance_rankings import (
    JudgedRanking,
    columns_of,
    examples_of,
    ranking_figures,
    rankings_of,
)
from factmill.runtime.evaluate import read_questions
from factmill.runtime.opening import open_index
from factmill.runtime.search.page_relevance import JUDGED
from factmill.schemas.errors import OptionError
from factmill.schemas.libraries import installed
from factmill.schemas.storage.paths import parse_storage_path

STATE = "training.safetensors"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    return exit_code("train_r2former", partial(_run, given), OutputFormat(), resumes=True)


def _run(arguments: Sequence[str]) -> int:
    """Train, measure, write the model."""
    options = _options(arguments)
    names = options.features.split(",")
    if not set(names) <= set(PAGE_FEATURES):
        raise OptionError(f"--features: choose from {', '.join(PAGE_FEATURES)}")
    rankings, encoder = _of_stores(options.train, "--train", options.own)
    config = R2FormerTraining(documents=JUDGED, seed=options.seed, epochs=options.epochs)
    examples = examples_of(rankings, columns_of(names))
    if not examples:
        raise OptionError("--train: no question has all its gold pages in its store")
    held_out: list[JudgedRanking] = []
    if options.held_out:
        held_out, other = _of_stores([options.held_out], "--held-out")
        if other != encoder:
            raise OptionError(f"--held-out: its store has another encoder, {other}, not {encoder}")
        if not held_out:
            raise OptionError("--held-out: no question has all its gold pages in its store")
    card = R2FormerCard(
        names, config.width, config.heads, config.hidden, config.documents, encoder, "", 0,
        {
            "questions": len(rankings), "own_pages": options.own * len(options.train),
            "rankings": len(examples), "seed": config.seed,
            "epochs": config.epochs, "batch": config.batch, "dropout": config.dropout,
            "learning_rate": config.learning_rate,
        },
        {}, [installed("torch"), installed("numpy")],
    )  # fmt: skip
    options.out.mkdir(parents=True, exist_ok=True)
    state = options.out / STATE
    weights = train_r2former(card, examples, config, state)
    save_r2former(options.out, card, weights)
    if held_out:
        figures = ranking_figures(R2Former.load(options.out), held_out)
        rounded = {name: round(value, 4) for name, value in figures.items()}
        save_r2former(options.out, replace(card, held_out=rounded), weights)
        print(json.dumps(rounded, indent=1))
    state.unlink()
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = LineParser(description=__doc__)
    parser.add_argument("out", type=Path)
    files = ("STORE", "QUESTIONS.jsonl")
    parser.add_argument("--train", nargs=2, action="append", required=True, metavar=files)
    parser.add_argument("--own", type=count, default=0, metavar="N")
    parser.add_argument("--held-out", nargs=2, metavar=files)
    parser.add_argument("--features", default=",".join(CHOSEN_FEATURES))
    parser.add_argument("--seed", type=count, default=0)
    parser.add_argument("--epochs", type=positive, default=R2FormerTraining().epochs)
    return parser.parse_args(arguments)


def _of_stores(
    stores: list[list[str]], option: str, own: int = 0
) -> tuple[list[JudgedRanking], str]:
    """The rankings of all stores that `option` names, for labelled questions and for `own`
    questions of each, and the fingerprint of their encoder. Raises OptionError.
    """
    rankings: list[JudgedRanking] = []
    encoders = set()
    for store, file in stores:
        with open_index(store) as index:
            encoders.add(index.encoder)
            rankings += rankings_of(index, read_questions(parse_storage_path(file), option))
            rankings += rankings_of(index.without_pairs(), own_questions(index, own))
    if len(encoders) > 1:
        raise OptionError(
            f"{option}: the stores must have one encoder, not {', '.join(sorted(encoders))}"
        )
    return rankings, encoders.pop()


if __name__ == "__main__":
    sys.exit(main())

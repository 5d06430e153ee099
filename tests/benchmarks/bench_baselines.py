"""Compares factmill's codes with common ways to search: one run, one corpus, one machine.

    python -m tests.benchmarks.bench_baselines STORE QUESTIONS.jsonl --out FOLDER
        [--methods exact hnsw factmill ...] [--rows N] [--queries 200] [--seconds 5]

STORE is a published store; only questions whose gold pages are all in it count. --rows keeps the
rows of the gold pages and adds random other pages up to this number. Prints a Markdown table, and
writes it with all figures and two plots to FOLDER: baselines.md, baselines.json,
recall_by_time.png, recall_by_bytes.png. Some methods are tuned to `exact` or `flat`, which are then
measured as well. Needs the extra `bench`. A million rows of 384 numbers take about 6 GB: one index
is in memory at a time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from factmill.models.codes.hash_head import HashHead
from factmill.models.encoding.encoder import Encoder
from factmill.runtime.evaluate import read_questions
from factmill.schemas.errors import CorruptStore, FactmillError, MissingExtra, OptionError
from factmill.schemas.layout import Store
from factmill.schemas.manifest import read_manifest
from tests.benchmarks.baselines.code_methods import CODE_METHODS
from tests.benchmarks.baselines.float_methods import FLOAT_METHODS
from tests.benchmarks.baselines.judging import PageRanking, gold_pages
from tests.benchmarks.baselines.lexical import LEXICAL_METHODS
from tests.benchmarks.baselines.measuring import Line, Say, measure, tuned
from tests.benchmarks.baselines.method import Data, Method
from tests.benchmarks.baselines.own import OWN_METHODS
from tests.benchmarks.baselines.plots import draw
from tests.benchmarks.baselines.results_table import as_json, markdown
from tests.benchmarks.baselines.units import all_pages, choose_pages, read_units
from tests.benchmarks.baselines.usearch_methods import USEARCH_METHODS

# A target comes before the methods that are tuned to it.
METHODS = (*FLOAT_METHODS, *CODE_METHODS, *USEARCH_METHODS, *LEXICAL_METHODS, *OWN_METHODS)
# Packages, and the distributions that contain them.
_LIBRARIES = {"faiss": "faiss-cpu", "usearch": "usearch", "bm25s": "bm25s", "numpy": "numpy"}


def chosen_methods(names: Sequence[str]) -> list[Method]:
    """The methods with these names (default: all), and those that they are tuned to. Raises
    OptionError for an unknown name.
    """
    by_name = {method.name: method for method in METHODS}
    if unknown := [name for name in names if name not in by_name]:
        raise OptionError(f"--methods: no {unknown[0]}; there are {', '.join(by_name)}")
    wanted = set(names or by_name)
    wanted |= {by_name[name].target for name in wanted}
    return [method for method in METHODS if method.name in wanted]


def need(packages: Sequence[str]) -> None:
    """Raises MissingExtra for the first package that is not installed."""
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtra(package, "bench")


def read_data(root: Path, asked: Path, rows: int, say: Say) -> Data:
    """The published rows of a store, and the questions that they can answer. Raises FactmillError
    if there are no such questions, or if the store has another encoder.
    """
    build = Store(root).published()
    manifest, head = read_manifest(build), HashHead.load(build.hash_head)
    encoder = Encoder(str(manifest.configuration["encoder"]))
    if encoder.fingerprint != head.encoder:
        raise CorruptStore(f"{build.root}: built with another version of encoder {encoder.name}")
    questions = read_questions(asked)
    pages = all_pages(build, manifest.shards)
    answerable = [
        question
        for question, gold in zip(questions, gold_pages(questions, pages), strict=True)
        if gold
    ]
    if not answerable:
        raise OptionError(f"{asked}: no question whose gold pages are all in {root}")
    gold_ids = {gold for question in answerable for gold in question.gold_ids}
    kept = choose_pages(pages, gold_ids, rows)
    say(f"reading {sum(page.rows for page in kept):,} rows of {len(kept):,} pages")
    units = read_units(build, kept, head.bits, head.dimension)
    say(f"encoding {len(answerable):,} of {len(questions):,} questions")
    return Data(
        units,
        PageRanking(units),
        head,
        answerable,
        encoder.encode([question.text for question in answerable]),
        gold_pages(answerable, kept),
        root if len(kept) == len(pages) else None,
    )


def compare(
    data: Data, methods: Sequence[Method], queries: int, seconds: float, say: Say
) -> list[Line]:
    """The lines of all methods, measured one after the other. Each index is freed before the next
    is built.
    """
    lines: dict[str, list[Line]] = {}
    for method in methods:
        found = measure(method, data, queries, seconds, say)
        lines[method.name] = tuned(found, lines[method.target]) if method.target else found
    return [line for method in methods for line in lines[method.name]]


def write(folder: Path, about: dict[str, Any], lines: Sequence[Line]) -> str:
    """Write table, figures and plots, and return the table."""
    table = markdown(lines)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "baselines.md").write_text(table, encoding="utf-8")
    (folder / "baselines.json").write_text(as_json(about, lines), encoding="utf-8")
    draw(lines, folder)
    return table


def about_run(data: Data) -> dict[str, Any]:
    """The conditions that the figures depend on."""
    return {
        "rows": data.rows,
        "pages": len(data.units.pages),
        "questions": len(data.questions),
        "dimension": data.head.dimension,
        "code_bits": data.head.bits,
        "libraries": {
            name: version(name) for package, name in _LIBRARIES.items() if find_spec(package)
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--methods", nargs="+", default=[])
    parser.add_argument("--rows", type=int, default=0, help="0 stands for all")
    parser.add_argument("--queries", type=int, default=200, help="timed, at most")
    parser.add_argument("--seconds", type=float, default=5, help="for these, at each line")
    options = parser.parse_args()
    began = time.perf_counter()

    def say(text: str) -> None:
        print(f"{time.perf_counter() - began:7.1f} s  {text}", file=sys.stderr, flush=True)

    try:
        methods = chosen_methods(options.methods)
        need(["matplotlib", *(method.needs for method in methods if method.needs)])
        data = read_data(options.store, options.questions, options.rows, say)
    except FactmillError as error:
        sys.exit(str(error))
    lines = compare(data, methods, options.queries, options.seconds, say)
    about = about_run(data)
    print(json.dumps(about) + "\n\n" + write(options.out, about, lines))


if __name__ == "__main__":
    main()

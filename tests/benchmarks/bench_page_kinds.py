"""Main content of pages of seven kinds against what was marked, as the job clean finds it.

    python -m tests.benchmarks.bench_page_kinds DATA/webpages [--half b] [--models FOLDER]

Scores each half of the domains by itself, because models and rules are made on one of them.
`--models` names the folder of `train_page_models --into`; without it the models of the code count.
DATA is the folder of the evaluation data.
"""

from __future__ import annotations

import argparse
from collections import Counter
from functools import partial
from multiprocessing import Pool
from pathlib import Path

from factmill.schemas.records import Reject
from factmill.transforms.clean.extract_page import extract_page
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.markup.main_text import block_net
from factmill.transforms.markup.page_kind import kind_model
from tests.benchmarks.page_models.marked_webpages import (
    HALVES,
    MarkedPage,
    WordScore,
    marked_webpages,
    mean_scores,
    word_score,
)

# A page's half, its kind, the kind that was found ("" for a reject), and its score.
Scored = tuple[str, str, str, WordScore]


def scored(page: MarkedPage) -> Scored:
    """Text and tables of a page, as `score.py` counts them."""
    extracted = extract_page(RawPage(page.name, html=page.html()))
    if isinstance(extracted, Reject):
        return page.half, page.kind, "", word_score(page.content, "")
    text = "\n".join((extracted.page.text, *extracted.tables))
    return page.half, page.kind, extracted.page.kind, word_score(page.content, text)


def use_models(folder: Path | None) -> None:
    """Let this process find the models in a folder."""
    if folder is not None:
        block_net.WEIGHTS = folder / block_net.WEIGHTS.name
        kind_model.WEIGHTS = folder / kind_model.WEIGHTS.name


def report(half: str, pages: list[Scored]) -> None:
    means = mean_scores((kind, score) for _, kind, _, score in pages)
    for kind, (score, count) in means.items():
        print(
            f"half {half} {kind:14} F1 {score.f1:.4f} (P {score.precision:.4f},"
            f" R {score.recall:.4f}), {count} pages"
        )
    found = Counter((kind, guessed) for _, kind, guessed, _ in pages)
    right = sum(count for (kind, guessed), count in found.items() if kind == guessed)
    print(f"half {half}: the kind of {right} of {len(pages)} pages is right; wrong most often:")
    wrong = [(pair, count) for pair, count in found.most_common() if pair[0] != pair[1]]
    for (kind, guessed), count in wrong[:8]:
        print(f"    {count:4} {kind} as {guessed or 'reject'}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", choices=(*HALVES, "all"), default="all")
    parser.add_argument("--models", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    pages = [page for page in marked_webpages(options.data) if options.half in (page.half, "all")]
    with Pool(options.processes, partial(use_models, options.models)) as pool:
        results = pool.map(scored, pages, chunksize=8)
    for half in sorted({page.half for page in pages}):
        report(half, [result for result in results if result[0] == half])


if __name__ == "__main__":
    main()

"""Main content of pages of seven kinds, as the job clean finds it, against marked gold text.

    python -m tests.benchmarks.bench_page_kinds DATA/webpages [--half b] [--models FOLDER]
    python -m tests.benchmarks.bench_page_kinds DATA/webpages --folds 4 [--nets 1] [--epochs 14]

Scores each half of the domains separately, because models and rules are made on one of them.
`--models` is the folder of `train_page_models --into`; the default is the models of the package.
With `--folds`, pages are scored by models trained on the other parts of the domains; `--kept` is
the same as for `train_page_models`. DATA is the folder of the evaluation data.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import partial
from multiprocessing import Pool
from pathlib import Path

from factmill.models.pages import block_net, kind_model
from factmill.schemas.records import Reject
from factmill.transforms.clean.extract_page import extract_page
from factmill.transforms.inputs.raw_page import RawPage
from tests.benchmarks.page_models.marked_webpages import (
    HALVES,
    MarkedPage,
    WordScore,
    marked_webpages,
    mean_scores,
    word_score,
)
from tests.benchmarks.page_models.prepared_pages import prepared_pages
from tests.benchmarks.train_page_models import train_models

# The reported part, the page's kind, the kind found ("" for a reject), and the score.
Scored = tuple[str, str, str, WordScore]


def scored(page: MarkedPage) -> Scored:
    """Text and tables of a page, scored as `score.py` does, with its half."""
    extracted = extract_page(RawPage(page.name, html=page.html()))
    part = f"half {page.half}"
    if isinstance(extracted, Reject):
        return part, page.kind, "", word_score(page.content, "")
    text = "\n".join((extracted.page.text, *extracted.tables))
    return part, page.kind, extracted.page.kind, word_score(page.content, text)


def use_models(folder: Path | None) -> None:
    """Let this process load the models from a folder."""
    if folder is not None:
        block_net.WEIGHTS = folder / block_net.WEIGHTS.name
        kind_model.WEIGHTS = folder / kind_model.WEIGHTS.name


def scored_by(models: Path | None, pages: Sequence[MarkedPage], processes: int) -> list[Scored]:
    with Pool(processes, partial(use_models, models)) as pool:
        return pool.map(scored, pages, chunksize=8)


def scored_unseen(options: argparse.Namespace, pages: Sequence[MarkedPage]) -> list[Scored]:
    """Scores of each fold by models trained on the others."""
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        kept = options.kept or Path(scratch, "pages")
        prepared = prepared_pages(pages, options.processes, kept)
        for fold in range(options.folds):
            models = Path(scratch, f"fold {fold}")
            others = [one for one in prepared if one.page.fold(options.folds) != fold]
            train_models(others, options.epochs, range(options.nets), models)
            unseen = [page for page in pages if page.fold(options.folds) == fold]
            results += scored_by(models, unseen, options.processes)
    return results


def report(part: str, pages: list[Scored]) -> None:
    means = mean_scores((kind, score) for _, kind, _, score in pages)
    for kind, (score, count) in means.items():
        print(
            f"{part} {kind:14} F1 {score.f1:.4f} (P {score.precision:.4f},"
            f" R {score.recall:.4f}), {count} pages"
        )
    found = Counter((kind, guessed) for _, kind, guessed, _ in pages)
    right = sum(count for (kind, guessed), count in found.items() if kind == guessed)
    print(f"{part}: the kind of {right} of {len(pages)} pages is right; most frequent errors:")
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
    parser.add_argument("--folds", type=int)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--nets", type=int, default=1)
    parser.add_argument("--kept", type=Path)
    options = parser.parse_args()
    pages = [page for page in marked_webpages(options.data) if options.half in (page.half, "all")]
    if options.folds:
        report(f"{options.folds} folds", scored_unseen(options, pages))
        return
    results = scored_by(options.models, pages, options.processes)
    for part in sorted({result[0] for result in results}):
        report(part, [result for result in results if result[0] == part])


if __name__ == "__main__":
    main()

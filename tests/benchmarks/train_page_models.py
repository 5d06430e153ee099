"""Trains the page models: the kind of a page, and which of its blocks are main content.

    python -m tests.benchmarks.train_page_models DATA/webpages --half a --into FOLDER
    python -m tests.benchmarks.train_page_models DATA/webpages --half all

Without `--into`, the models in the package are replaced. DATA is the folder of the evaluation data.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from factmill.models.pages import block_net, kind_model
from tests.benchmarks.page_models.kind_training import save_kinds, train_kinds, unseen_kinds
from tests.benchmarks.page_models.marked_webpages import HALVES, marked_webpages
from tests.benchmarks.page_models.net_training import save_net, train_net
from tests.benchmarks.page_models.prepared_pages import PreparedPage, prepared_pages


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", choices=(*HALVES, "all"), default="a")
    parser.add_argument("--into", type=Path)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--nets", type=int, default=4)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--kept", type=Path, help="keep prepared pages here for the next training")
    options = parser.parse_args()
    began = time.monotonic()
    marked = [page for page in marked_webpages(options.data) if options.half in (page.half, "all")]
    with tempfile.TemporaryDirectory() as scratch:
        pages = prepared_pages(marked, options.processes, options.kept or Path(scratch))
    print(f"{len(pages)} of {len(marked)} pages prepared, {time.monotonic() - began:.0f} s")
    train_models(pages, options.epochs, range(options.nets), options.into)
    print(f"trained, {time.monotonic() - began:.0f} s")


def train_models(
    pages: Sequence[PreparedPage], epochs: int, seeds: Sequence[int], folder: Path | None
) -> None:
    """Train both models and write them into a folder, by default that of the package."""
    torch.set_num_threads(1)
    kinds = train_kinds(pages)
    net = train_net(pages, unseen_kinds(pages), epochs, seeds)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    save_kinds(kinds, in_folder(folder, kind_model.WEIGHTS))
    save_net(net, in_folder(folder, block_net.WEIGHTS))


def in_folder(folder: Path | None, weights: Path) -> Path:
    return folder / weights.name if folder else weights


if __name__ == "__main__":
    main()

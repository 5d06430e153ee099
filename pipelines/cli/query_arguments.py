"""The commands that query a store: search, answer, evaluate."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from factmill.pipelines.cli.argument_types import depths, positive, storage_path
from factmill.pipelines.cli.line_parser import add_command


def add_query_commands(commands: Any) -> None:
    """Add them to `factmill`."""
    search = add_command(commands, "search", "find the pages that hold facts on a query")
    search.add_argument("query")
    search.add_argument("-k", type=positive, default=20, help="number of pages (default: 20)")
    _add_ranking_options(search)

    answer = add_command(
        commands, "answer", "answer a question from the index, or say I don't know"
    )
    answer.add_argument("question")

    evaluate = add_command(commands, "evaluate", "measure recall on questions with gold pages")
    evaluate.add_argument(
        "--questions", type=storage_path, required=True, metavar="FILE.jsonl",
        help="JSON lines with id, question, answers, gold_ids and perhaps dataset",
    )  # fmt: skip
    evaluate.add_argument(
        "--depths", type=depths, default=(1, 5, 20, 100), metavar="1,5,20,100",
        help="depths k of recall@k (default: 1,5,20,100)",
    )  # fmt: skip
    evaluate.add_argument(
        "--run", type=Path, metavar="FILE.trec", help="also write a TREC run file"
    )
    _add_ranking_options(evaluate)


def _add_ranking_options(command: argparse.ArgumentParser) -> None:
    """The options that say how pages are ranked."""
    group = command.add_argument_group("ranking")
    group.add_argument(
        "--rerank", action="store_true",
        help="score candidates by stored vectors instead of codes (build --store-embeddings)",
    )  # fmt: skip
    group.add_argument(
        "--no-lexical", dest="lexical", action="store_false",
        help="rank by codes alone, without the words that a page shares with the query",
    )  # fmt: skip

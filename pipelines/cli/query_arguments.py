"""The commands that query a store: search, answer, serve, mcp, evaluate."""

from __future__ import annotations

import argparse
from pathlib import Path

from factmill.pipelines.cli.answer_arguments import add_answer_options, add_retrieval_options
from factmill.pipelines.cli.argument_types import (
    DEFAULT_CHECK,
    DEFAULT_DEPTHS,
    depths,
    query,
    storage_path,
    up_to,
)
from factmill.pipelines.cli.line_parser import CommandGroup, add_command
from factmill.pipelines.cli.serve_arguments import add_mcp_command, add_serve_command
from factmill.runtime.query_checks import MAX_HITS
from factmill.runtime.verify.opening_checks import OPENING_CHECKS


def add_query_commands(commands: CommandGroup) -> None:
    """Add them to `factmill`, in the order of its help."""
    _add_search(commands)
    _add_answer(commands)
    add_serve_command(commands)
    add_mcp_command(commands)
    _add_evaluate(commands)


def _add_search(commands: CommandGroup) -> None:
    search = add_command(
        commands, "search", "find the pages with facts on a query",
        'STORE "lighthouse on a rock in the sea" -k 5',
    )  # fmt: skip
    search.add_argument("query", type=query)
    search.add_argument(
        "-k", type=up_to(MAX_HITS), default=20,
        help=f"number of pages (default: 20; at most {MAX_HITS})",
    )  # fmt: skip
    _add_ranking_options(search)
    _add_check(search)


def _add_answer(commands: CommandGroup) -> None:
    answer = add_command(
        commands, "answer", "answer a question from the index, or say I don't know",
        'STORE "When was the lighthouse first lit?"', instead="--pages",
    )  # fmt: skip
    answer.add_argument("question", type=query)
    answer.add_argument(
        "--pages", type=storage_path, metavar="FILE.jsonl",
        help="answer from the pages of this file (at most a hundred) instead of a store",
    )  # fmt: skip
    _add_check(answer)
    add_answer_options(answer)
    add_retrieval_options(answer)


def _add_evaluate(commands: CommandGroup) -> None:
    evaluate = add_command(
        commands, "evaluate", "measure recall or answers on questions with gold answers or pages",
        "STORE --questions questions.jsonl --run run.trec", instead="--own-pages",
    )  # fmt: skip
    evaluate.add_argument(
        "--questions", type=storage_path, required=True, metavar="FILE.jsonl",
        help="JSON lines with id, question, answers, gold_ids and perhaps dataset; or CRAG's file",
    )  # fmt: skip
    evaluate.add_argument(
        "--own-pages", action="store_true",
        help="instead of STORE: answer each question from the pages that CRAG's file has for it",
    )  # fmt: skip
    evaluate.add_argument(
        "--depths", type=depths, default=DEFAULT_DEPTHS, metavar="1,2,5,20,100",
        help="depths k of recall@k (default: 1,2,5,20,100)",
    )  # fmt: skip
    evaluate.add_argument(
        "--run", type=Path, metavar="FILE.trec", help="also write a TREC run file"
    )
    evaluate.add_argument(
        "--answers", type=Path, metavar="FILE.jsonl",
        help="with --strategy: also write the answers, one JSON object a line",
    )  # fmt: skip
    evaluate.add_argument(
        "--judge-url", default="", metavar="URL",
        help="with --strategy: an OpenAI-compatible server that judges answers worded"
        " differently; its verdicts are reported separately",
    )  # fmt: skip
    evaluate.add_argument(
        "--judge-model", default="", metavar="NAME", help="the judge's model name on its server"
    )
    _add_ranking_options(evaluate)
    _add_check(evaluate)
    add_answer_options(evaluate)
    add_retrieval_options(evaluate)


def _add_ranking_options(command: argparse.ArgumentParser) -> None:
    """Options that control how pages are ranked."""
    group = command.add_argument_group("ranking")
    group.add_argument(
        "--rerank", action="store_true",
        help="score candidates by stored vectors instead of codes (build --store-embeddings)",
    )  # fmt: skip
    group.add_argument(
        "--no-lexical", dest="lexical", action="store_false",
        help="rank by codes alone, ignoring words that a page shares with the query",
    )  # fmt: skip
    group.add_argument(
        "--relevance", action="store_true",
        help="say how likely each of the first 20 pages is relevant; it counts a little for their"
        " order (stores of the default encoder)",
    )  # fmt: skip


def _add_check(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--check", choices=OPENING_CHECKS, default=DEFAULT_CHECK,
        help="how to compare the files that answer with the manifest: their sizes, their checksums"
        " first, or their checksums in the background (default: checksums, above a gigabyte in the"
        " background)",
    )  # fmt: skip

"""The commands that run jobs: build, plan, retry. The options of `build` come in groups."""

from __future__ import annotations

import argparse
from typing import get_args

from factmill.models.text.entities import RULES
from factmill.pipelines.cli.argument_types import (
    above_zero,
    languages,
    page_kinds,
    positive,
    price,
    share,
    similarity,
    storage_path,
    up_to,
)
from factmill.pipelines.cli.line_parser import CommandGroup, add_command
from factmill.pipelines.cli.llm_arguments import add_llm_options
from factmill.pipelines.cli.run_arguments import add_log_options, add_run_options
from factmill.pipelines.store.page_check import DEFAULT_MAX_PAGE_DROP
from factmill.pipelines.store.publish_checks import DEFAULT_MAX_DROP
from factmill.schemas.records import PageKind
from factmill.transforms.clean.clean_options import DEFAULT_LIMITS, DEFAULT_NEAR_DUPLICATES


def add_build_commands(commands: CommandGroup) -> None:
    """Add them to `factmill`."""
    build = add_command(
        commands, "build", "build the index from pages and publish it; other options go to Beam",
        "STORE --input 'crawl/*.warc.gz' pages/",
    )  # fmt: skip
    _add_settings(build)
    _add_reuse_options(build)
    _add_quality_options(build)
    _add_page_check_options(build)

    plan = add_command(
        commands, "plan", "clean the pages and estimate the cost of reading them",
        "STORE --input pages/ --reader llm --llm-model NAME --price-in 0.1",
    )  # fmt: skip
    _add_settings(plan)
    _add_cost_options(plan)

    retry = add_command(
        commands, "retry", "ask the LLM again about segments that it failed to read",
        "STORE --llm-url http://127.0.0.1:8000/v1",
    )  # fmt: skip
    add_llm_options(retry)
    add_run_options(retry)
    add_log_options(retry)
    _add_quality_options(retry)


def _add_settings(command: argparse.ArgumentParser) -> None:
    """The options that decide what a build holds; the same for `build` and `plan`."""
    _add_page_options(command)
    _add_reading_options(command)
    add_llm_options(command)
    _add_index_options(command)
    add_run_options(command)
    add_log_options(command)


def _add_page_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("pages")
    group.add_argument(
        "--input", nargs="+", action="extend", required=True, metavar="PATTERN",
        help="files, folders or globs of WARC, ARC, HTML, Markdown, text, JSON, Parquet, MediaWiki",
    )  # fmt: skip
    group.add_argument(
        "--follow-links", action="store_true",
        help="also follow links in an input folder to files outside of it",
    )  # fmt: skip
    group.add_argument(
        "--keep-missing", action="store_true",
        help="keep the published build's pages that are not in this input (partial crawls)",
    )  # fmt: skip
    group.add_argument(
        "--strip-tokens", action="store_true",
        help="drop access tokens, signatures and passwords from queries of URLs (changes the ids of"
        " pages whose URLs have some)",
    )  # fmt: skip
    group.add_argument(
        "--languages", type=languages, default=(), metavar="en,de",
        help="keep pages in these languages only (default: all)",
    )  # fmt: skip
    group.add_argument(
        "--kinds", type=page_kinds, default=(), metavar="article,forum",
        help=f"keep pages of these kinds only: {', '.join(get_args(PageKind))} (default: all)",
    )  # fmt: skip
    group.add_argument(
        "--near-duplicates", type=similarity, default=DEFAULT_NEAR_DUPLICATES, metavar="SHARE|off",
        help=f"similarity from which a page is a duplicate (default: {DEFAULT_NEAR_DUPLICATES})",
    )  # fmt: skip
    group.add_argument(
        "--page-seconds", type=up_to(86_400), default=DEFAULT_LIMITS.seconds, metavar="N",
        help=f"processor time limit for one page (default: {DEFAULT_LIMITS.seconds:g})",
    )  # fmt: skip
    group.add_argument(
        "--page-megabytes", type=up_to(1_000_000), default=DEFAULT_LIMITS.megabytes, metavar="N",
        help=f"memory limit for one page (default: {DEFAULT_LIMITS.megabytes})",
    )  # fmt: skip


def _add_reading_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("reading")
    group.add_argument(
        "--entities", metavar="NAME|PATH",
        help=f"the method that finds named entities: {RULES}, or a trained spaCy pipeline"
        f" (default: {RULES};"
        " with an LLM a trained English pipeline if one is installed)",
    )  # fmt: skip
    group.add_argument(
        "--reader", choices=("heuristic", "llm"), default="heuristic",
        help="the reader of segments: rules, or an LLM (default: heuristic)",
    )  # fmt: skip
    group.add_argument(
        "--llm-model", default="", metavar="NAME", help="the model name on the LLM server"
    )


def _add_index_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("index")
    group.add_argument(
        "--encoder", default="all-MiniLM-L6-v2", metavar="NAME|PATH",
        help="a sentence-transformers model (default: all-MiniLM-L6-v2)",
    )  # fmt: skip
    group.add_argument(
        "--code-bits", type=positive, metavar="N", help="length of hash codes (default: 384)"
    )
    group.add_argument(
        "--train-questions", type=storage_path, metavar="FILE.jsonl",
        help="questions with gold_ids, as for evaluate: codes are learned from them as well",
    )  # fmt: skip
    group.add_argument(
        "--train-encoder", action="store_true",
        help="first fine-tune the encoder on the same questions (slow without a GPU)",
    )  # fmt: skip
    group.add_argument(
        "--train-extractor", type=storage_path, metavar="FILE.jsonl",
        help="questions, contexts and answers as in SQuAD: a model that finds answers learns from"
        " them (about 40 minutes for 5,000 on one core)",
    )  # fmt: skip
    group.add_argument(
        "--extractor-encoder", default="", metavar="NAME|PATH",
        help="with --train-extractor: the encoder that it tunes, such as roberta-base, instead of"
        " the build's; larger ones find more, in more time",
    )  # fmt: skip
    group.add_argument(
        "--train-rewriter", type=storage_path, metavar="FILE.jsonl",
        help="questions, answers and rewritten questions: a model that puts answers into questions"
        " learns from them",
    )  # fmt: skip
    group.add_argument(
        "--train-links", type=storage_path, metavar="FILE.jsonl",
        help="questions with gold_ids: how far a search follows names from page to page is learned"
        " from them, if that finds more",
    )  # fmt: skip
    group.add_argument(
        "--store-embeddings", action="store_true",
        help="keep float16 vectors in the index, for search --rerank",
    )  # fmt: skip
    group.add_argument(
        "--shards", type=positive, metavar="N",
        help="shards of a new store (default: 16); fixed for its life",
    )  # fmt: skip


def _add_reuse_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("reuse")
    group.add_argument(
        "--full", action="store_true",
        help="build from scratch: resume and reuse nothing except an LLM's answers",
    )  # fmt: skip
    group.add_argument(
        "--retrain", action="store_true",
        help="learn the hash codes anew instead of reusing the published build's",
    )  # fmt: skip


def _add_quality_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("quality check")
    group.add_argument(
        "--questions", type=storage_path, metavar="FILE.jsonl",
        help="questions as for evaluate: a build that finds less than the published one is kept"
        " and not published (exit code 3)",
    )  # fmt: skip
    group.add_argument(
        "--max-recall-drop", type=share, default=None, metavar="SHARE",
        help="the largest accepted fall of recall@20 with --questions (default:"
        f" {DEFAULT_MAX_DROP})",
    )  # fmt: skip


def _add_page_check_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("page check")
    group.add_argument(
        "--max-page-drop", type=share, default=DEFAULT_MAX_PAGE_DROP, metavar="SHARE",
        help="a build that lost a larger share of the published build's pages, or a whole input"
        " file of it, is kept and not published (exit code 3); 1: whatever is missing"
        f" (default: {DEFAULT_MAX_PAGE_DROP})",
    )  # fmt: skip


def _add_cost_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("cost")
    group.add_argument(
        "--tokenizer", metavar="NAME|PATH",
        help="the LLM's tokenizer, for transformers (default: an estimate by characters)",
    )  # fmt: skip
    group.add_argument(
        "--price-in", type=price, metavar="X", help="price of a million prompt tokens"
    )
    group.add_argument(
        "--price-out", type=price, metavar="X",
        help="price of a million completion tokens",
    )  # fmt: skip
    group.add_argument(
        "--rate", type=above_zero, metavar="N",
        help="tokens per second (default: as measured by the published build)",
    )  # fmt: skip

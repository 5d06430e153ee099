"""The command line's grammar: every command and option of `factmill`; it runs nothing."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from factmill.models.text.entities import RULES
from factmill.pipelines.cli.llm_options import (
    DEFAULT_DEADLINE,
    DEFAULT_IN_FLIGHT,
    DEFAULT_PATIENCE,
    DEFAULT_SEGMENTS_A_CALL,
)
from factmill.pipelines.store.publish_checks import DEFAULT_MAX_DROP
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import Store
from factmill.schemas.storage.paths import StoragePath, parse_storage_path
from factmill.transforms.clean.clean_options import DEFAULT_LIMITS, DEFAULT_NEAR_DUPLICATES

ACCELERATOR_EXAMPLE = "type:nvidia-l4;count:1;install-nvidia-driver"
UNFINISHED_DAYS = 7.0


class LineParser(argparse.ArgumentParser):
    """A parser whose errors are one line and exit code 2, without the usage above."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def positive(text: str) -> int:
    """An argparse type: an integer of at least 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return value


def up_to(largest: int) -> Callable[[str], int]:
    """An argparse type: an integer from 1 to `largest`."""

    def number(text: str) -> int:
        value = positive(text)
        if value > largest:
            raise argparse.ArgumentTypeError(f"{text!r} is more than {largest}")
        return value

    return number


def placed(text: str) -> StoragePath:
    """An argparse type: a file or folder, here or in an object store."""
    try:
        return parse_storage_path(text)
    except OptionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def store(text: str) -> Store:
    """An argparse type: a folder, here or in an object store."""
    return Store(placed(text))


def depths(text: str) -> tuple[int, ...]:
    """An argparse type: "1,5,20" as numbers."""
    return tuple(sorted({positive(part) for part in text.split(",")}))


def languages(text: str) -> tuple[str, ...]:
    """An argparse type: "en,de" as codes."""
    codes = tuple(sorted({code.strip().lower() for code in text.split(",")}))
    for code in codes:
        if not re.fullmatch(r"[a-z]{2,3}", code):
            raise argparse.ArgumentTypeError(f"{code!r} is not a language code like en or de")
    return codes


def similarity(text: str) -> float | None:
    """An argparse type: a share from 0.5 to 1, or "off" as None."""
    if text == "off":
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.5 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number from 0.5 to 1 nor off")
    return value


def share(text: str) -> float:
    """An argparse type: a number from 0 to 1."""
    value = price(text)
    if value > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is more than 1")
    return value


def price(text: str) -> float:
    """An argparse type: a number of at least 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 0")
    return value


def accelerator(text: str) -> str:
    """An argparse type: Beam's hint for a GPU."""
    if text and not re.fullmatch(r"type:[\w.-]+(;[\w-]+(:[\w./-]+)?)*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not like {ACCELERATOR_EXAMPLE}")
    return text


def add_run_options(command: argparse.ArgumentParser) -> None:
    """The options that say how jobs run, not what they do."""
    command.add_argument(
        "--jobs", type=positive, default=os.cpu_count() or 1, metavar="N",
        help="worker processes of the local runner (default: one a core)",
    )  # fmt: skip
    command.add_argument(
        "--workers", type=positive, metavar="N",
        help="workers of another runner, from the start (default: the runner's)",
    )  # fmt: skip
    command.add_argument(
        "--max-workers", type=positive, metavar="N",
        help="up to how many machines Dataflow may take",
    )  # fmt: skip
    command.add_argument(
        "--machine-type", default="", metavar="TYPE",
        help="Dataflow's machines, for example n2-standard-8",
    )  # fmt: skip
    command.add_argument(
        "--min-ram", default="", metavar="SIZE",
        help="Beam's resource hint for the memory of a worker, for example 32GB",
    )  # fmt: skip
    command.add_argument(
        "--encode-accelerator", type=accelerator, default="", metavar="HINT",
        help="Beam's resource hint for workers that run the encoder, for example"
        f" {ACCELERATOR_EXAMPLE}",
    )  # fmt: skip


def add_log_options(command: argparse.ArgumentParser) -> None:
    """How what is said meanwhile is written."""
    command.add_argument(
        "--json-logs", action="store_true",
        help="progress, warnings and errors as JSON lines on standard error",
    )  # fmt: skip


def add_llm_options(command: argparse.ArgumentParser) -> None:
    """The options that say how an LLM is asked, not which."""
    command.add_argument(
        "--llm-url", default="", metavar="URL",
        help="an OpenAI-compatible server, for example http://127.0.0.1:8000/v1;"
        " its key is taken from OPENAI_API_KEY",
    )  # fmt: skip
    command.add_argument(
        "--llm-vllm", default="", metavar="EXECUTABLE",
        help="start this vLLM in the worker in place of --llm-url",
    )  # fmt: skip
    command.add_argument(
        "--llm-in-flight", type=up_to(4096), default=DEFAULT_IN_FLIGHT, metavar="N",
        help=f"requests at once (default: {DEFAULT_IN_FLIGHT})",
    )  # fmt: skip
    command.add_argument(
        "--llm-segments", type=up_to(16), default=DEFAULT_SEGMENTS_A_CALL, metavar="N",
        help="short segments of a page that may share a request"
        f" (default: {DEFAULT_SEGMENTS_A_CALL})",
    )  # fmt: skip
    command.add_argument(
        "--llm-workers", type=positive, metavar="N",
        help="processes that ask (default: one for 64 requests at once)",
    )  # fmt: skip
    command.add_argument(
        "--llm-deadline", type=up_to(86_400), default=DEFAULT_DEADLINE, metavar="SECONDS",
        help="what one request may take, repetitions included"
        f" (default: {DEFAULT_DEADLINE})",
    )  # fmt: skip
    command.add_argument(
        "--llm-patience", type=up_to(86_400), default=DEFAULT_PATIENCE, metavar="SECONDS",
        help="how long a server that is down is waited for, before the build stops to be resumed"
        f" (default: {DEFAULT_PATIENCE})",
    )  # fmt: skip
    command.add_argument(
        "--llm-accelerator", type=accelerator, default="", metavar="HINT",
        help="the same for workers that ask the LLM, which start --llm-vllm there",
    )  # fmt: skip
    command.add_argument(
        "--max-tokens-total", type=positive, metavar="N",
        help="stop, to be resumed, before the calls of this build cost more tokens",
    )  # fmt: skip


def parser() -> argparse.ArgumentParser:
    """The parser of `factmill`."""
    top = LineParser(
        prog="factmill", allow_abbrev=False,
        description="Turn a crawl of web pages into an index of facts, and query it.",
    )  # fmt: skip
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    build = _command(
        commands, "build", "build the index from pages and publish it; other options go to Beam"
    )
    _add_build_options(build)
    build.add_argument(
        "--full", action="store_true",
        help="build from nothing: resume and reuse nothing, but for what an LLM said",
    )  # fmt: skip
    build.add_argument(
        "--retrain", action="store_true",
        help="learn the hash codes anew in place of taking over the published build's",
    )  # fmt: skip
    _add_gate_options(build)
    plan = _command(commands, "plan", "clean the pages, and say what reading them would cost")
    _add_build_options(plan)
    _add_plan_options(plan)
    retry = _command(commands, "retry", "ask the LLM again about the segments it did not read")
    add_llm_options(retry)
    add_run_options(retry)
    add_log_options(retry)
    _add_gate_options(retry)

    search = _command(commands, "search", "find the pages that hold facts on a query")
    search.add_argument("query")
    search.add_argument("-k", type=positive, default=20, help="number of pages (default: 20)")
    _add_ranking_options(search)

    answer = _command(commands, "answer", "answer a question from the index, or say I don't know")
    answer.add_argument("question")

    evaluate = _command(commands, "evaluate", "measure recall on questions with known pages")
    evaluate.add_argument(
        "--questions", type=placed, required=True, metavar="FILE.jsonl",
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

    verify = _command(
        commands, "verify", "check every file, count, id and offset of the published build"
    )
    verify.add_argument("--build", metavar="ID", help="another build (default: the published one)")

    rollback = _command(
        commands, "rollback", "publish an earlier build again, or one that was kept unpublished"
    )
    rollback.add_argument(
        "--to", metavar="ID", help="which (default: the newest before the published one)"
    )
    gc = _command(commands, "gc", "remove old builds; none that is published, read or being built")
    gc.add_argument(
        "--keep", type=positive, required=True, metavar="N",
        help="how many complete builds to keep beside the published one",
    )  # fmt: skip
    gc.add_argument(
        "--unfinished-days", type=price, default=UNFINISHED_DAYS, metavar="DAYS",
        help="keep unfinished builds so long after they were last worked on"
        f" (default: {UNFINISHED_DAYS:g})",
    )  # fmt: skip

    inspect = _command(commands, "inspect", "look into the tables with SQL (DuckDB)")
    inspect.add_argument("--sql", help="a query over the views; default: rows of every view")
    return top


def _add_build_options(build: argparse.ArgumentParser) -> None:
    build.add_argument(
        "--input", nargs="+", action="extend", required=True, metavar="PATTERN",
        help="files, folders or globs of WARC, ARC, HTML, Markdown, text, JSON, Parquet, MediaWiki",
    )  # fmt: skip
    build.add_argument(
        "--languages", type=languages, default=(), metavar="en,de",
        help="keep pages in these languages only (default: all)",
    )  # fmt: skip
    build.add_argument(
        "--entities", metavar="NAME|PATH",
        help=f"what finds named entities: {RULES}, or a trained spaCy pipeline (default: {RULES};"
        " with an LLM a trained English pipeline if one is installed)",
    )  # fmt: skip
    build.add_argument(
        "--near-duplicates", type=similarity, default=DEFAULT_NEAR_DUPLICATES, metavar="SHARE|off",
        help=f"similarity from which a page is a duplicate (default: {DEFAULT_NEAR_DUPLICATES})",
    )  # fmt: skip
    build.add_argument(
        "--page-seconds", type=up_to(86_400), default=DEFAULT_LIMITS.seconds, metavar="N",
        help=f"processor time for one page (default: {DEFAULT_LIMITS.seconds:g})",
    )  # fmt: skip
    build.add_argument(
        "--page-megabytes", type=up_to(1_000_000), default=DEFAULT_LIMITS.megabytes, metavar="N",
        help=f"memory for one page (default: {DEFAULT_LIMITS.megabytes})",
    )  # fmt: skip
    build.add_argument(
        "--reader", choices=("heuristic", "llm"), default="heuristic",
        help="what reads segments: rules, or an LLM (default: heuristic)",
    )  # fmt: skip
    build.add_argument(
        "--llm-model", default="", metavar="NAME", help="the LLM, as its server names it"
    )
    add_llm_options(build)
    build.add_argument(
        "--encoder", default="all-MiniLM-L6-v2", metavar="NAME|PATH",
        help="a sentence-transformers model (default: all-MiniLM-L6-v2)",
    )  # fmt: skip
    build.add_argument(
        "--code-bits", type=positive, metavar="N", help="length of hash codes (default: 384)"
    )
    build.add_argument(
        "--train-questions", type=placed, metavar="FILE.jsonl",
        help="questions with gold_ids, as for evaluate: codes are learned from them as well",
    )  # fmt: skip
    build.add_argument(
        "--train-encoder", action="store_true",
        help="fine-tune the encoder on the same questions before (slow without a GPU)",
    )  # fmt: skip
    build.add_argument(
        "--store-embeddings", action="store_true",
        help="keep float16 vectors in the index, for search --rerank",
    )  # fmt: skip
    build.add_argument(
        "--keep-missing", action="store_true",
        help="keep the published build's pages that are not in this input (partial crawls)",
    )  # fmt: skip
    build.add_argument(
        "--shards", type=positive, metavar="N",
        help="shards of a new store (default: 16); fixed for its life",
    )  # fmt: skip
    add_run_options(build)
    add_log_options(build)


def _add_gate_options(build: argparse.ArgumentParser) -> None:
    build.add_argument(
        "--questions", type=placed, metavar="FILE.jsonl",
        help="questions as for evaluate: a build that finds less than the published one is kept"
        " and not published (exit code 3)",
    )  # fmt: skip
    build.add_argument(
        "--max-recall-drop", type=share, default=DEFAULT_MAX_DROP, metavar="SHARE",
        help=f"by how much recall@20 may fall with --questions (default: {DEFAULT_MAX_DROP})",
    )  # fmt: skip


def _add_ranking_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--rerank", action="store_true",
        help="score candidates by stored vectors in place of codes (build --store-embeddings)",
    )  # fmt: skip
    command.add_argument(
        "--no-lexical", dest="lexical", action="store_false",
        help="rank by codes alone, without the words that a page shares with the query",
    )  # fmt: skip


def _add_plan_options(plan: argparse.ArgumentParser) -> None:
    plan.add_argument(
        "--tokenizer", metavar="NAME|PATH",
        help="the LLM's tokenizer, for transformers (default: an estimate by characters)",
    )  # fmt: skip
    plan.add_argument(
        "--price-in", type=price, default=0.0, metavar="X", help="price of a million prompt tokens"
    )
    plan.add_argument(
        "--price-out", type=price, default=0.0, metavar="X",
        help="price of a million completion tokens",
    )  # fmt: skip
    plan.add_argument(
        "--rate", type=price, metavar="N",
        help="tokens a second (default: what the published build measured)",
    )  # fmt: skip


def _command(commands: Any, name: str, about: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=about, allow_abbrev=False
    )
    command.add_argument("store", metavar="STORE", type=store, help="folder of the store")
    command.add_argument("--json", action="store_true", help="one JSON document on standard output")
    return command
